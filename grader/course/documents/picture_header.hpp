/// What a picture's header says, read without decoding the picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opgrade::documents {

struct PictureHeader {
  std::int64_t width = 0, height = 0;  ///< in pixels, at least 1
  /// Exif's number: 1 is upright; 2 to 8 say how a camera was held.
  int orientation = 1;

  std::int64_t pixels() const { return width * height; }
};

bool is_png(std::string_view bytes);   ///< by its signature
bool is_jpeg(std::string_view bytes);  ///< by its first marker

/// nullopt if the header is damaged.
std::optional<PictureHeader> png_header(std::string_view bytes);
std::optional<PictureHeader> jpeg_header(std::string_view bytes);

}  // namespace opgrade::documents
