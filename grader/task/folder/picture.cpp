#include "grader/task/folder/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "grader/task/folder/expression.hpp"
#include "grader/task/folder/stored_types.hpp"

namespace opgrade {
namespace {

using Colour = std::array<std::uint8_t, 3>;  // red, green, blue

struct Canvas {
  int columns, rows;
  std::vector<Colour> pixels;

  Canvas(int wide, int high) : columns(wide), rows(high) {
    pixels.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
  }
  Colour& at(int column, int row) {
    return pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(column)];
  }
};

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// A BMP file of 24 bits a pixel: rows from bottom to top, each padded to whole words, blue first.
std::string bmp(Canvas canvas) {
  const auto row_bytes = static_cast<std::uint32_t>(canvas.columns * 3 + 3) / 4 * 4;
  const std::uint32_t data = row_bytes * static_cast<std::uint32_t>(canvas.rows);
  constexpr std::uint32_t kHeader = 54;
  std::string file = "BM";
  const auto add = [&](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> (8 * i) & 255);
  };
  for (const std::uint32_t word :
       {kHeader + data, 0U, kHeader, kHeader - 14, static_cast<std::uint32_t>(canvas.columns),
        static_cast<std::uint32_t>(canvas.rows)})
    add(word, 4);
  add(1, 2);
  add(24, 2);
  for (const std::uint32_t word : {0U, data, 2835U, 2835U, 0U, 0U}) add(word, 4);
  for (int row = canvas.rows; row-- > 0;) {
    const std::size_t end = file.size() + row_bytes;
    for (int column = 0; column < canvas.columns; ++column) {
      const Colour& colour = canvas.at(column, row);
      for (std::size_t i = 3; i-- > 0;) file += static_cast<char>(colour[i]);
    }
    file.resize(end);
  }
  return file;
}

std::uint8_t level(double share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

}  // namespace

PicturePair show_pictures(const BufferDescription& buffer, const Coordinates& sizes,
                          std::span<const std::byte> got, const Expected& expected) {
  const auto rows = evaluate(buffer.extents[0], sizes),
             columns = evaluate(buffer.extents[1], sizes);
  const int channels = picture_channels(buffer);
  const double full = buffer.type->floating ? 1 : 255;
  const auto share = [&](double value) { return std::isfinite(value) ? value / full : 0; };
  const auto got_at = [&](std::int64_t i) {
    return share(load(*buffer.type, got.data() + static_cast<std::size_t>(i) * buffer.type->bytes));
  };
  const auto want_at = [&](std::int64_t i) { return share(expected.value(i)); };
  // A fourth number is not shown as a colour, but may be wrong, too.
  const auto difference = [&](std::int64_t pixel) {
    double most = 0;
    for (int k = 0; k < channels; ++k)
      most = std::max(most, std::abs(got_at(pixel * channels + k) - want_at(pixel * channels + k)));
    return most;
  };
  const auto colour = [&](const auto& value, std::int64_t pixel) {
    Colour made;
    for (int k = 0; k < 3; ++k)
      made[static_cast<std::size_t>(k)] = level(value(pixel * channels + (channels == 1 ? 0 : k)));
    return made;
  };

  constexpr std::int64_t kMost = 128;
  const std::int64_t step =
      std::max<std::int64_t>((std::max(rows, columns) + kMost - 1) / kMost, 1);
  const Canvas empty(static_cast<int>((columns + step - 1) / step),
                     static_cast<int>((rows + step - 1) / step));
  Canvas of_got = empty, of_want = empty, of_difference = empty;
  for (int row = 0; row < empty.rows; ++row)
    for (int column = 0; column < empty.columns; ++column) {
      std::int64_t shown = row * step * columns + column * step;
      double most = difference(shown);
      for (std::int64_t y = row * step; y < std::min((row + 1) * step, rows); ++y)
        for (std::int64_t x = column * step; x < std::min((column + 1) * step, columns); ++x)
          if (const double one = difference(y * columns + x); one > most) {
            most = one;
            shown = y * columns + x;
          }
      of_got.at(column, row) = colour(got_at, shown);
      of_want.at(column, row) = colour(want_at, shown);
      // Starts at a visible colour, so that small differences are seen, too.
      const std::uint8_t rest = most > 0 ? level(0.7 - 0.7 * most) : 255;
      of_difference.at(column, row) = {255, rest, rest};
    }
  return {base64(bmp(std::move(of_got))), base64(bmp(std::move(of_want))),
          base64(bmp(std::move(of_difference)))};
}

}  // namespace opgrade
