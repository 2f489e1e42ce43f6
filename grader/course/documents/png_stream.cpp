#include "grader/course/documents/png_stream.hpp"

#include <algorithm>
#include <optional>

#include "grader/course/documents/byte_fields.hpp"
#include "grader/course/documents/picture_header.hpp"

namespace opgrade::documents {
namespace {

/// The length of a PNG file up to the end of its last chunk; nullopt if the bytes end earlier. A
/// chunk is a length, a type, data and a checksum. The last chunk is IEND.
std::optional<std::size_t> length_of_png(std::string_view bytes) {
  constexpr std::size_t kSignature = 8, kAroundData = 12;
  for (std::size_t at = kSignature;;) {
    const auto data = big_endian(bytes, at, 4);
    if (!data || bytes.size() - at < kAroundData || *data > bytes.size() - at - kAroundData)
      return std::nullopt;
    const bool last = bytes.substr(at + 4, 4) == "IEND";
    at += kAroundData + *data;
    if (last) return at;
  }
}

}  // namespace

std::vector<std::string> split_pngs(std::string_view bytes, int side) {
  std::vector<std::string> pictures;
  for (;;) {
    const auto header = png_header(bytes);
    if (!header || std::max(header->width, header->height) > side) return pictures;
    const auto length = length_of_png(bytes);
    if (!length) return pictures;
    pictures.emplace_back(bytes.substr(0, *length));
    bytes.remove_prefix(*length);
  }
}

}  // namespace opgrade::documents
