// An output that is a picture: mismatches are pixels, and a report gets both pictures.
#include "grader/task/folder/picture.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace opgrade {
namespace {

/// The pixels of a BMP file in base64, from above: "#ff0000" and so on, a row a text.
std::vector<std::string> rows_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string file;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    file += static_cast<char>(bits >> count & 255);
  }
  const auto word = [&](std::size_t at) {
    std::int32_t value;
    std::memcpy(&value, file.data() + at, 4);
    return value;
  };
  EXPECT_EQ(file.substr(0, 2), "BM");
  EXPECT_EQ(word(2), static_cast<std::int32_t>(file.size()));
  const int columns = word(18), rows = word(22);
  const std::size_t row_bytes = static_cast<std::size_t>(columns * 3 + 3) / 4 * 4;
  EXPECT_EQ(file.size(), 54 + row_bytes * static_cast<std::size_t>(rows));
  std::vector<std::string> all;
  for (int row = rows; row-- > 0;) {
    std::string& line = all.emplace_back();
    for (int column = 0; column < columns; ++column)
      for (const int k : {2, 1, 0}) {
        char hex[3];
        std::snprintf(
            hex, sizeof hex, "%02x",
            static_cast<unsigned char>(file[54 + static_cast<std::size_t>(row) * row_bytes +
                                            static_cast<std::size_t>(3 * column + k)]));
        line += hex;
      }
  }
  return all;
}

struct Image {
  BufferDescription buffer{.name = "image",
                           .role = BufferDescription::Role::out,
                           .extents = {"h", "w", "3"},
                           .picture = true};
  std::vector<unsigned char> got;
  std::vector<std::int64_t> want;
  Coordinates sizes;

  Image(int rows, int columns) : sizes{{"h", rows}, {"w", columns}} {
    buffer.type = find_element_type("unsigned char");
    got.assign(static_cast<std::size_t>(rows * columns * 3), 0);
    want.assign(got.size(), 0);
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(got)); }
  Expected expected() const {
    return {std::as_bytes(std::span(want)),
            {.values = 0, .scales = 0, .elements = static_cast<std::int64_t>(want.size())},
            *buffer.type};
  }
  OutputCheck check(std::int64_t may_differ) const {
    return check_output(buffer, bytes(), expected(), static_cast<std::int64_t>(got.size()), 0,
                        may_differ);
  }
};

TEST(Picture, MismatchesAreWrongPixels) {
  Image image(2, 2);
  image.got[0] = image.got[1] = image.got[2] = 9;  // one pixel
  image.got[5] = image.got[6] = 9;                 // two
  EXPECT_EQ(image.check(2).mismatches, 3);
  EXPECT_EQ(image.check(2).first, 0);
  EXPECT_EQ(image.check(3).mismatches, 0);
  image.buffer.picture = false;
  EXPECT_EQ(image.check(3).mismatches, 5);
}

TEST(Picture, ManyPixelsAreCountedOnceEach) {
  Image image(400, 500);
  image.got.assign(image.got.size(), 1);
  EXPECT_EQ(image.check(0).mismatches, 200'000);
}

TEST(Picture, AReportShowsBothAndTheDifference) {
  Image image(2, 3);
  image.want = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 128, 128, 128};
  for (std::size_t i = 0; i < image.got.size(); ++i)
    image.got[i] = static_cast<unsigned char>(image.want[i]);
  image.got[15] = image.got[16] = image.got[17] = 0;
  const auto [got, want, difference] =
      show_pictures(image.buffer, image.sizes, image.bytes(), image.expected());
  EXPECT_EQ(rows_of(want), (std::vector<std::string>{"ff000000ff000000ff", "ffffff000000808080"}));
  EXPECT_EQ(rows_of(got), (std::vector<std::string>{"ff000000ff000000ff", "ffffff000000000000"}));
  EXPECT_EQ(rows_of(difference),
            (std::vector<std::string>{"ffffffffffffffffff", "ffffffffffffff5959"}));
}

// The one wrong pixel of a large picture is not lost.
TEST(Picture, ALargeOneIsShownSmaller) {
  Image image(300, 1000);
  image.got[3 * (217 * 1000 + 503) + 1] = 255;
  const auto pictures = show_pictures(image.buffer, image.sizes, image.bytes(), image.expected());
  const auto rows = rows_of(pictures.difference);
  ASSERT_EQ(rows.size(), 38U);
  ASSERT_EQ(rows[0].size(), 125U * 6);
  EXPECT_EQ(rows[27].substr(62 * 6, 6), "ff0000");
  EXPECT_EQ(rows_of(pictures.got)[27].substr(62 * 6, 6), "00ff00");
}

TEST(Picture, OfVectorsAndOfGrey) {
  const auto channels = [](const char* type, int components, std::vector<std::string> extents) {
    BufferDescription buffer{.name = "image", .extents = std::move(extents)};
    buffer.type = find_element_type(type);
    buffer.components = components;
    return picture_channels(buffer);
  };
  EXPECT_EQ(channels("unsigned char", 4, {"h", "w"}), 4);
  EXPECT_EQ(channels("float", 3, {"h", "w"}), 3);
  EXPECT_EQ(channels("float", 1, {"h", "w"}), 1);
  EXPECT_EQ(channels("float", 1, {"h", "w", "3"}), 3);
  EXPECT_EQ(channels("float", 2, {"h", "w"}), 0);
  EXPECT_EQ(channels("float", 1, {"n"}), 0);
  EXPECT_EQ(channels("int", 1, {"h", "w"}), 0);
}

}  // namespace
}  // namespace opgrade
