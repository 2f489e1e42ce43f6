#include "grader/task/conv/data/resize.hpp"

#include <fmt/format.h>

#include <vector>

#include "grader/base/core/error.hpp"

namespace opgrade {
namespace {

constexpr int kMaxSide = 1024;  // 4 * 1024 * 1024 * 255 still fits 32 unsigned bits

/// Output pixel i is (2 n_out - high) / (2 n_out) of input pixel `low` plus high / (2 n_out) of the
/// next one.
struct Tap {
  int low = 0;
  std::uint32_t high = 0;
};

std::vector<Tap> taps(int n_in, int n_out) {
  std::vector<Tap> list;
  const int denominator = 2 * n_out;
  for (int i = 0; i < n_out; ++i) {
    // Shifted by one pixel so that the dividend is never negative: the lowest position is (n_in -
    // n_out) / (2 n_out) > -1/2.
    const int shifted = (2 * i + 1) * n_in - n_out + denominator;
    list.push_back({shifted / denominator - 1, static_cast<std::uint32_t>(shifted % denominator)});
  }
  return list;
}

}  // namespace

void resize_image(std::span<const std::uint8_t> in, int H_in, int W_in, std::span<std::uint8_t> out,
                  int H_out, int W_out) {
  const auto side_ok = [](int n) { return n >= 1 && n <= kMaxSide; };
  if (!(side_ok(H_in) && side_ok(W_in) && side_ok(H_out) && side_ok(W_out)) ||
      in.size() != std::size_t(H_in) * std::size_t(W_in) ||
      out.size() != std::size_t(H_out) * std::size_t(W_out)) {
    throw Error(fmt::format("cannot resize {}x{} to {}x{} pixels", H_in, W_in, H_out, W_out),
                fmt::format("sides of 1 to {} are accepted", kMaxSide));
  }
  const std::vector<Tap> rows = taps(H_in, H_out);
  const std::vector<Tap> columns = taps(W_in, W_out);
  const std::uint32_t row_unit = 2 * static_cast<std::uint32_t>(H_out);
  const std::uint32_t column_unit = 2 * static_cast<std::uint32_t>(W_out);

  // One blended input row with a zero on either side, so that pixels outside the image need no
  // branch.
  std::vector<std::uint32_t> blended(static_cast<std::size_t>(W_in) + 2, 0);
  const std::vector<std::uint8_t> outside(static_cast<std::size_t>(W_in), 0);
  const auto row_at = [&](int h) {
    return h >= 0 && h < H_in ? in.data() + std::ptrdiff_t{h} * W_in : outside.data();
  };
  for (int h = 0; h < H_out; ++h) {
    const Tap& row = rows[static_cast<std::size_t>(h)];
    const std::uint8_t* above = row_at(row.low);
    const std::uint8_t* below = row_at(row.low + 1);
    for (int w = 0; w < W_in; ++w) {
      blended[static_cast<std::size_t>(w) + 1] =
          (row_unit - row.high) * above[w] + row.high * below[w];
    }
    std::uint8_t* to = out.data() + std::ptrdiff_t{h} * W_out;
    for (int w = 0; w < W_out; ++w) {
      const Tap& column = columns[static_cast<std::size_t>(w)];
      const std::uint32_t* left = blended.data() + column.low + 1;
      const std::uint32_t sum = (column_unit - column.high) * left[0] + column.high * left[1];
      to[w] = static_cast<std::uint8_t>(sum / (row_unit * column_unit));
    }
  }
}

}  // namespace opgrade
