#include "grader/course/documents/picture_header.hpp"

#include "grader/course/documents/byte_fields.hpp"

namespace opgrade::documents {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::string_view kJpegStart = "\xff\xd8\xff"sv;
constexpr std::string_view kExif = "Exif\0\0"sv;

/// True for a marker that no segment follows: TEM, RST0 to RST7, SOI.
bool stands_alone(int marker) { return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8); }

/// True for the start of a frame, SOF0 to SOF15. Three markers in this range are not: DHT, JPG and
/// DAC.
bool starts_frame(int marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/// The orientation that the first directory of an Exif segment has; 1 if it has none. Exif 2.3,
/// 4.6.2: a TIFF header, then entries of 12 bytes.
int exif_orientation(std::string_view segment) {
  if (!segment.starts_with(kExif)) return 1;
  const std::string_view tiff = segment.substr(kExif.size());
  const bool little = tiff.starts_with("II*\0"sv);
  if (!little && !tiff.starts_with("MM\0*"sv)) return 1;
  const auto number = [&](std::size_t at, std::size_t size) {
    return little ? little_endian(tiff, at, size) : big_endian(tiff, at, size);
  };
  const auto directory = number(4, 4);
  const auto entries = directory ? number(*directory, 2) : std::nullopt;
  for (std::uint64_t i = 0; entries && i < *entries; ++i) {
    const std::size_t entry = *directory + 2 + 12 * i;
    const auto tag = number(entry, 2), value = number(entry + 8, 2);
    if (!tag || !value) return 1;
    constexpr std::uint64_t kOrientation = 0x0112;
    if (*tag == kOrientation) return *value >= 1 && *value <= 8 ? static_cast<int>(*value) : 1;
  }
  return 1;
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with(kPngSignature); }
bool is_jpeg(std::string_view bytes) { return bytes.starts_with(kJpegStart); }

std::optional<PictureHeader> png_header(std::string_view bytes) {
  constexpr std::size_t kHeader = 13;  // bytes in the first chunk, IHDR
  if (!is_png(bytes) || big_endian(bytes, 8, 4) != kHeader || bytes.substr(12, 4) != "IHDR")
    return std::nullopt;
  const auto width = big_endian(bytes, 16, 4), height = big_endian(bytes, 20, 4);
  constexpr std::uint64_t kLargest = 0x7FFFFFFF;  // by the format's specification
  if (!width || !height || *width == 0 || *height == 0 || *width > kLargest || *height > kLargest)
    return std::nullopt;
  return PictureHeader{static_cast<std::int64_t>(*width), static_cast<std::int64_t>(*height)};
}

std::optional<PictureHeader> jpeg_header(std::string_view bytes) {
  if (!is_jpeg(bytes)) return std::nullopt;
  PictureHeader header;
  for (std::size_t at = 0; at + 1 < bytes.size();) {
    if (byte_at(bytes, at) != 0xFF) return std::nullopt;
    const int marker = byte_at(bytes, at + 1);
    if (marker == 0xFF) {  // fill bytes may stand before a marker
      ++at;
      continue;
    }
    at += 2;
    if (stands_alone(marker)) continue;
    const auto length = big_endian(bytes, at, 2);
    if (!length || *length < 2 || *length > bytes.size() - at) return std::nullopt;
    const std::string_view segment = bytes.substr(at + 2, *length - 2);
    constexpr int kApp1 = 0xE1, kStartOfScan = 0xDA;
    if (marker == kApp1 && header.orientation == 1) header.orientation = exif_orientation(segment);
    if (starts_frame(marker)) {
      const auto height = big_endian(segment, 1, 2), width = big_endian(segment, 3, 2);
      if (!height || !width || *height == 0 || *width == 0) return std::nullopt;
      header.width = static_cast<std::int64_t>(*width);
      header.height = static_cast<std::int64_t>(*height);
      return header;
    }
    if (marker == kStartOfScan) return std::nullopt;
    at += *length;
  }
  return std::nullopt;
}

}  // namespace opgrade::documents
