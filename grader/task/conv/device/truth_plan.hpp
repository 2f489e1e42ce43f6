/// How the double-precision convolution of a shape is divided among blocks and threads.
#pragma once

#include <cstdint>

#include "reference/conv_shape.hpp"

namespace opgrade {

constexpr int kTruthMaps = 4;       ///< output maps a thread computes, so that an input serves four
constexpr int kTruthThreads = 256;  ///< most of a block: with 128 registers each, two blocks fit
constexpr int kTruthShared = 48 << 10;  ///< bytes a block may use on every device without asking

/// True if indices in an image of x or in a map of y do not fit in an int, with room left for the
/// idle threads of a grid. A matrix product with K * N of 2^31 has such an x.
constexpr bool needs_wide_index(const ConvShape& s) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - (1 << 10);
  return s.x_image() > kMost || std::int64_t{s.H_out()} * s.W_out() > kMost;
}

/// One block of the tiled kernel. A thread computes one column w of `rows` consecutive rows of y.
/// The threads of a block are numbered by image, group of rows, w.
struct TruthPlan {
  int rows = 0;    ///< 0: the tiles do not fit, so the general kernel computes this shape
  int groups = 0;  ///< of rows
  int images = 0;  ///< more than one only if a block has all their rows

  /// Number of rows of x that a block reads from each image.
  constexpr int x_rows(const ConvShape& s) const { return rows * groups + s.K - 1; }
  /// Pitch of the columns of x in shared memory. The rows of a column are adjacent, so that a
  /// thread's loads differ by constants. The pitch is odd, so that neighbours in w read different
  /// banks.
  constexpr int pitch(const ConvShape& s) const { return x_rows(s) | 1; }
  constexpr int row_blocks(const ConvShape& s) const {
    return (s.H_out() + rows * groups - 1) / (rows * groups);
  }
  constexpr int items(const ConvShape& s) const { return images * groups * s.W_out(); }
  constexpr int threads(const ConvShape& s) const { return (items(s) + 31) / 32 * 32; }
  constexpr int tile_bytes(const ConvShape& s) const {
    return images * s.W * pitch(s) * static_cast<int>(sizeof(double));
  }
  constexpr bool fits(const ConvShape& s) const {
    const int weights = s.K * s.K * kTruthMaps * static_cast<int>(sizeof(double));
    return items(s) <= kTruthThreads && tile_bytes(s) + weights <= kTruthShared;
  }
  /// Multiply-adds, wasted ones included, for an image, a channel and a group of maps. Loading an
  /// element of x into shared memory takes about as long as 8 of them. Loading the weights of a row
  /// of y takes as long as another row.
  constexpr double cost(const ConvShape& s) const {
    const double sums = 1.0 * threads(s) * kTruthMaps * s.K * s.K * (rows + 1);
    return row_blocks(s) * (sums + 8.0 * images * s.W * x_rows(s)) / images;
  }
};

constexpr int kTruthRows[] = {5, 7, 8};  ///< possible values of `rows`; more sums would not fit

/// The cheapest plan with this number of rows; `rows` of the result is 0 if none fits.
constexpr TruthPlan plan_truth(const ConvShape& s, int rows) {
  TruthPlan best;
  if (s.S != 1 || (s.K != 3 && s.K != 5 && s.K != 7) || s.W > kTruthThreads + s.K ||
      s.H > (1 << 18))  // so that grids and offsets within a map are small
    return best;
  const auto consider = [&](const TruthPlan& plan) {
    if (plan.fits(s) && (best.rows == 0 || plan.cost(s) < best.cost(s))) best = plan;
  };
  const int all = (s.H_out() + rows - 1) / rows;
  for (int groups = 1; groups <= all && groups <= kTruthThreads; ++groups)
    consider({rows, groups, 1});
  for (int images = 2; images <= s.B && images * all <= kTruthThreads; ++images)
    consider({rows, all, images});
  return best;
}

/// The cheapest plan that fits.
constexpr TruthPlan plan_truth(const ConvShape& s) {
  TruthPlan best;
  for (const int rows : kTruthRows) {
    const TruthPlan plan = plan_truth(s, rows);
    if (plan.rows != 0 && (best.rows == 0 || plan.cost(s) < best.cost(s))) best = plan;
  }
  return best;
}

}  // namespace opgrade
