/// The bounds of a document and of the work that it may cost.
#pragma once

#include <chrono>
#include <cstdint>

namespace opgrade::documents {

/// A report of a GPU course has some ten pages with figures and profile tables, 1 to 5 MiB. Each
/// bound is several times larger than that, and limits the worst document to `wall` on one core and
/// to `memory_bytes`.
struct DocumentBounds {
  std::int64_t file_bytes = std::int64_t{20} << 20;
  /// Largest Markdown file. A browser shows its page as a whole: some hundred printed pages.
  std::int64_t markdown_bytes = 256 << 10;
  int pages = 60;  ///< the most that are shown; the download has all
  /// Longer side of a shown page, in pixels: 145 dpi on US Letter, at which 8-point text can be
  /// read.
  int page_side = 1600;
  /// Most pixels of a picture as it is handed in: most telephones' cameras have 12 to 24 million.
  std::int64_t picture_pixels = 25'000'000;
  /// Longer side of a shown picture, in pixels: twice the pixels of a page, because figures have
  /// small print.
  int picture_side = 2400;
  /// Bytes of all shown pages together. A page of text has some 0.2 MiB as PNG, one of photographs
  /// 3 MiB.
  std::int64_t output_bytes = std::int64_t{64} << 20;
  /// pdftoppm needs some 100 MiB for a page with figures, netpbm as much for a picture of 25
  /// million pixels.
  std::int64_t memory_bytes = std::int64_t{1} << 30;
  /// Time for all pages together. Sixty pages of text take some 10 s on a core of a laptop.
  std::chrono::seconds wall{30};
};

}  // namespace opgrade::documents
