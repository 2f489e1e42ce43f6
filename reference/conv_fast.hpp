/// The fast CPU convolution of one image: what checks whole batches, and the fast CPU solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "reference/conv_shape.hpp"
#include "reference/isa.hpp"

namespace opgrade {

/// FastConv's way with the W_out mod lanes columns that fill no vector. The results are the same;
/// only the speed differs.
enum class EdgeMethod {
  automatic,  ///< the cheapest by estimate
  overlap,    ///< one more vector per row, ending with it: some columns are computed twice
  gather,     ///< the left-over columns of all rows, laid end to end
  merge,      ///< all columns of all rows, laid end to end
};

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
  /// Rows [h_begin, h_end) of the outputs of map groups [g_begin, g_end).
  struct Part {
    int h_begin, h_end, g_begin, g_end;
  };

  /// Copies and packs the weights k (M,C,K,K); shape.B is ignored. Uses the best instruction set
  /// of the machine that is not above `limit`. Throws std::invalid_argument for an invalid shape.
  FastConv(const ConvShape& shape, const float* k, Isa limit = Isa::avx512,
           EdgeMethod edge = EdgeMethod::automatic);

  /// One image: x is C,H,W and y is M,H_out,W_out, both dense, at any alignment, not overlapping.
  /// Safe to call from several threads at once; each thread keeps its scratch memory until it ends.
  void image(const float* x, Acc* y) const;

  /// A part of the image. x and y are the whole image's. Nothing but the part is written, so that
  /// threads may work on different parts of one image. `between`, when set, is called after every
  /// block of outputs, blocks() times for a whole image: time to do something beside arithmetic.
  void part(const float* x, Acc* y, const Part& part,
            const std::function<void()>& between = {}) const;

  /// Maps are computed in groups; a group is the smallest unit of a part.
  int map_groups() const { return static_cast<int>(groups_.size()); }
  std::int64_t blocks() const { return blocks_; }

  /// True if y is written in a few long rising streams, which processors foresee.
  bool writes_in_streams() const { return groups_.size() == 1 && edge_columns_ == 0; }

  const ConvShape& shape() const { return shape_; }
  Isa isa() const { return isa_; }

 private:
  struct Group {
    int first_map;
    int maps;
    std::ptrdiff_t weights;  ///< where the group's [tap][map] starts in weights_
  };

  void pack_weights(const float* k);
  EdgeMethod cheapest_edge() const;
  void plan(EdgeMethod edge);
  const Acc* spread(const float* x, Acc* to, const Part& part) const;
  void lay_edge(const Acc* x, const Acc* x_end, Acc* packed, const Part& part) const;
  void run_blocks(const Group& group, const Acc* x, const std::ptrdiff_t* x_position,
                  const std::ptrdiff_t* tap, Acc* y, const std::ptrdiff_t* y_position,
                  std::ptrdiff_t y_plane, std::ptrdiff_t vectors,
                  const std::function<void()>& between) const;

  ConvShape shape_;
  Isa isa_;
  std::ptrdiff_t lanes_ = 1;
  std::vector<Group> groups_;
  std::vector<Acc> weights_;
  std::int64_t blocks_ = 0;

  // The body: vectors inside each output row, read straight from rows of x.
  std::ptrdiff_t body_vectors_ = 0;  ///< in a row
  std::ptrdiff_t pitch_ = 0;         ///< elements from one row of x to the next, per column phase
  std::vector<std::ptrdiff_t> body_tap_, body_x_, body_y_;

  // The edge: the columns that the body leaves, of all rows together, so that vectors stay full.
  std::ptrdiff_t edge_columns_ = 0;
  std::ptrdiff_t edge_plane_ = 0;  ///< elements from one (c, q, row phase) to the next
  std::vector<std::ptrdiff_t> edge_tap_;
};

extern template class FastConv<float>;
extern template class FastConv<double>;

}  // namespace opgrade
