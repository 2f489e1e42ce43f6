/// The fast CPU convolution: what checks whole batches, and the fast CPU solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "grader/core/conv_shape.hpp"
#include "reference/isa.hpp"

namespace opgrade {

/// The convolution of conv_shape.hpp, for one set of weights and any number of images.
///
/// Acc is the type of the sums and of the output. The order of summation is conv_direct's (c, then
/// p, then q), whatever the instruction set.
///   FastConv<double>: float*float is exact in double, so the result equals conv_direct's bit for
///     bit: |y - exact| <= gamma(n - 1) * sum |x||k| with n = C*K*K and u = 2^-53.
///   FastConv<float>: |y - exact| <= gamma(n) * sum |x||k| with u = 2^-24 (barring underflow); with
///     or without fused multiply-add, so the last bits differ between instruction sets.
/// Here gamma(n) = n*u / (1 - n*u). NaN and infinity come out as the formula gives them.
template <class Acc>
class FastConv {
 public:
  /// Copies and packs the weights k (M,C,K,K); shape.B is ignored. Uses the best instruction set
  /// of the machine that is not above `limit`. Throws std::invalid_argument for an invalid shape.
  FastConv(const ConvShape& shape, const float* k, Isa limit = Isa::avx512);

  /// One image: x is C,H,W and y is M,H_out,W_out, both dense, at any alignment, not overlapping.
  /// Safe to call from several threads at once; each thread keeps its scratch memory until it ends.
  void image(const float* x, Acc* y) const;

  /// The part of the image with output rows [h_begin, h_end) and map groups [g_begin, g_end) of
  /// map_groups(). x and y are the whole image's; nothing but the part is written, so that threads
  /// may work on different parts of one image.
  void part(const float* x, Acc* y, int h_begin, int h_end, int g_begin, int g_end) const;

  /// Maps are computed in groups; a group is the smallest unit that part() takes.
  int map_groups() const { return static_cast<int>(groups_.size()); }

  const ConvShape& shape() const { return shape_; }
  Isa isa() const { return isa_; }

 private:
  struct Group {
    int first_map;
    int maps;
    std::ptrdiff_t weights;  ///< where the group's [tap][map] starts in weights_
  };

  void run_blocks(const Group& group, const Acc* x, const std::ptrdiff_t* x_position,
                  const std::ptrdiff_t* tap, Acc* y, const std::ptrdiff_t* y_position,
                  std::ptrdiff_t y_plane, std::ptrdiff_t vectors) const;
  const Acc* spread(const float* x, Acc* scratch, int h_begin, int h_end) const;
  void merge_edge(const Acc* x, const Acc* x_end, Acc* packed, int h_begin, int h_end) const;

  ConvShape shape_;
  Isa isa_;
  int lanes_ = 1;
  std::vector<Group> groups_;
  std::vector<Acc> weights_;

  // The body: whole vectors inside each output row, read straight from rows of x.
  int body_vectors_ = 0;        ///< vectors in a row
  std::ptrdiff_t pitch_ = 0;    ///< elements from one row of x to the next, per column phase
  std::vector<std::ptrdiff_t> body_tap_, body_x_, body_y_;

  // The edge: the columns right of the body, of all rows together, so that vectors stay full.
  int edge_columns_ = 0;
  std::ptrdiff_t edge_rows_ = 0;  ///< rows of one row phase
  std::vector<std::ptrdiff_t> edge_tap_, edge_position_;
};

extern template class FastConv<float>;
extern template class FastConv<double>;

/// A whole batch in float: x is B,C,H,W, k is M,C,K,K, y is B,M,H_out,W_out. Uses `threads` threads
/// (0: one per processor): images in parallel, and parts of images where there are few.
void conv_fast(const ConvShape& shape, const float* x, const float* k, float* y, int threads = 0);

/// The same with double sums and a double result.
void conv_fast(const ConvShape& shape, const float* x, const float* k, double* y, int threads = 0);

}  // namespace opgrade
