/// Documents as files, made by the tests: PDF objects with their table, pictures, text in them.
#pragma once

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opgrade::test {

inline std::string deflated(const std::string& bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string packed(size, '\0');
  ::compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
              reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  packed.resize(size);
  return packed;
}

/// Two layers of FlateDecode around `gigabytes` of blanks: some KiB for each ten.
inline std::string flate_bomb(int gigabytes) {
  const std::string megabyte(1 << 20, ' ');
  z_stream stream{};
  ::deflateInit(&stream, 9);
  // After a full flush the next block does not refer to the last: it can be repeated.
  const auto next_block = [&] {
    std::string block(1 << 16, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(megabyte.data()));
    stream.avail_in = static_cast<uInt>(megabyte.size());
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    ::deflate(&stream, Z_FULL_FLUSH);
    block.resize(block.size() - stream.avail_out);
    return block;
  };
  std::string packed = next_block();
  const std::string block = next_block();
  ::deflateEnd(&stream);
  for (int i = 0; i < 1024 * gigabytes; ++i) packed += block;
  return deflated(packed);
}

inline std::string pdf_stream(const std::string& bytes, const std::string& dictionary = "") {
  return fmt::format("<<{}/Length {}>>\nstream\n", dictionary, bytes.size()) + bytes +
         "\nendstream";
}

/// The objects 1 and so on of a PDF file, whose first one is its catalog.
inline std::string pdf_of(const std::vector<std::string>& objects,
                          const std::string& trailer = "") {
  std::string file = "%PDF-1.7\n", table;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    table += fmt::format("{:010} 00000 n \n", file.size());
    file += fmt::format("{} 0 obj\n", i + 1) + objects[i] + "\nendobj\n";
  }
  const auto start = file.size();
  return file + fmt::format(
                    "xref\n0 {0}\n0000000000 65535 f \n{1}trailer\n<</Size {0}/Root 1 0 R{2}>>\n"
                    "startxref\n{3}\n%%EOF\n",
                    objects.size() + 1, table, trailer, start);
}

/// A page whose lower left quarter is red.
inline constexpr const char* kRedSquare = "1 0 0 rg 0 0 306 396 re f";

/// A PDF of one such page. `catalog` and `page` are added to the dictionaries, `more` are the
/// objects 5 and so on.
inline std::string one_page(const std::string& catalog = "", const std::string& page = "",
                            const std::vector<std::string>& more = {}) {
  std::vector<std::string> objects{
      "<</Type/Catalog/Pages 2 0 R" + catalog + ">>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R" + page + ">>",
      pdf_stream(kRedSquare)};
  objects.insert(objects.end(), more.begin(), more.end());
  return pdf_of(objects);
}

inline std::string pdf_of_pages(int pages) {
  std::string kids;
  std::vector<std::string> objects{"<</Type/Catalog/Pages 2 0 R>>", ""};
  for (int i = 0; i < pages; ++i) {
    kids += fmt::format("{} 0 R ", i + 3);
    objects.push_back("<</Type/Page/Parent 2 0 R/MediaBox[0 0 61 79]>>");
  }
  objects[1] = fmt::format("<</Type/Pages/Count {}/Kids[{}]>>", pages, kids);
  return pdf_of(objects);
}

inline std::string big_endian_text(std::uint32_t number) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xFF);
  return text;
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string checked = type + data;
  const auto sum =
      ::crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian_text(static_cast<std::uint32_t>(data.size())) + checked +
         big_endian_text(static_cast<std::uint32_t>(sum));
}

constexpr std::string_view kPngSignature{"\x89PNG\r\n\x1a\n", 8};

/// `type`: 0 gray, 2 RGB, 6 RGB with transparency. `packed` is the deflated image.
inline std::string png_of(std::uint32_t width, std::uint32_t height, char type,
                          const std::string& packed, int depth = 8) {
  const std::string header = big_endian_text(width) + big_endian_text(height) +
                             static_cast<char>(depth) + type + std::string(3, '\0');
  return std::string(kPngSignature) + png_chunk("IHDR", header) + png_chunk("IDAT", packed) +
         png_chunk("IEND", "");
}

/// All pixels alike: `pixel` has the bytes of one.
inline std::string plain_png(std::uint32_t width, std::uint32_t height, char type,
                             const std::string& pixel, int depth = 8) {
  std::string row(1, '\0'), rows;
  for (std::uint32_t x = 0; x < width; ++x) row += pixel;
  for (std::uint32_t y = 0; y < height; ++y) rows += row;
  return png_of(width, height, type, deflated(rows), depth);
}

/// Two grey squares of 8 pixels, a dark one left of a bright one, with Exif's `orientation`.
inline std::string two_squares_jpeg(int orientation) {
  const auto segment = [](char marker, const std::string& data) {
    const auto size = data.size() + 2;
    return std::string{'\xFF', marker, static_cast<char>(size >> 8), static_cast<char>(size)} +
           data;
  };
  const std::string exif =
      std::string("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 25) +
      static_cast<char>(orientation) + std::string(6, '\0');
  const std::string quantisation = std::string(1, '\0') + std::string(64, '\x01');
  const std::string frame("\x08\0\x08\0\x10\x01\x01\x11\0", 9);
  // Two symbols for the mean of a square, differences of 10 and of 11 bits; one for "no more".
  std::string means(17, '\0'), rest(17, '\0');
  means[1] = means[2] = rest[1] = '\x01';
  means += "\x0A\x0B";
  rest[0] = '\x10';
  rest += '\0';
  // -800, end, +1600, end; filled up by ones. A byte 0xFF would need a zero behind it.
  std::string bits = "0" + std::string("0011011111") + "0" + "10" + "11001000000" + "0";
  while (bits.size() % 8 != 0) bits += '1';
  std::string data;
  for (std::size_t i = 0; i < bits.size(); i += 8)
    data += static_cast<char>(std::stoi(bits.substr(i, 8), nullptr, 2));
  return "\xFF\xD8" + segment('\xE1', exif) + segment('\xDB', quantisation) +
         segment('\xC0', frame) + segment('\xC4', means) + segment('\xC4', rest) +
         segment('\xDA', std::string("\x01\x01\0\0\x3F\0", 6)) + data + "\xFF\xD9";
}

}  // namespace opgrade::test
