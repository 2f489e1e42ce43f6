// How it works. An output is a sum over taps t = (c, p, q). A vector of neighbouring outputs needs
// neighbouring x values for one tap, if x is laid out well. Their distance from the vector's own
// position is tap[t]. So the whole convolution is one kernel
// (conv_kernels.hpp) over lists of positions:
//   body   the vectors inside each output row. Stride 1 in float reads the image itself; otherwise
//          it is copied once, widened to Acc, with the columns of each phase (column mod S) side by
//          side, so that strided outputs are neighbours too.
//   edge   the columns that are left. One row's would fill a vector badly (34 columns are two
//          vectors of 16 and one of 2), so the edges of all rows are laid end to end, once per q,
//          and computed as one long row. Where the edge is all columns, that row is y itself.
#include "reference/conv_fast.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "reference/conv_kernels.hpp"

namespace opgrade {
namespace {

using Size = std::ptrdiff_t;

/// Scratch that outlives a call, zeroed when it grows: no lane ever works on what memory held.
template <class T>
T* scratch(Size elements) {
  thread_local std::vector<T> memory;
  if (memory.size() < static_cast<std::size_t>(elements))
    memory.resize(static_cast<std::size_t>(elements));
  return memory.data();
}

constexpr Size ceil_div(Size a, Size b) { return (a + b - 1) / b; }

}  // namespace

template <class Acc>
FastConv<Acc>::FastConv(const ConvShape& shape, const float* k, Isa limit, EdgeMethod edge)
    : shape_(shape), isa_(best_isa(limit)) {
  if (!shape.valid()) throw std::invalid_argument("FastConv: the shape is not valid");
  lanes_ = conv_kernels::of<Acc>(isa_).lanes;
  pack_weights(k);
  plan(edge == EdgeMethod::automatic ? cheapest_edge() : edge);
}

/// Groups of maps of nearly equal size (12 maps are 6 + 6, not 8 + 4), each group's weights in the
/// order the kernel takes them.
template <class Acc>
void FastConv<Acc>::pack_weights(const float* k) {
  const int count = static_cast<int>(ceil_div(shape_.M, conv_kernels::of<Acc>(isa_).best_maps));
  const Size taps = Size{shape_.C} * shape_.K * shape_.K;
  weights_.reserve(static_cast<std::size_t>(shape_.k_size()));
  for (int g = 0; g < count; ++g) {
    const auto first = static_cast<int>(std::int64_t{shape_.M} * g / count);
    const auto last = static_cast<int>(std::int64_t{shape_.M} * (g + 1) / count);
    groups_.push_back({first, last - first, static_cast<Size>(weights_.size())});
    for (Size t = 0; t < taps; ++t)
      for (int m = first; m < last; ++m) weights_.push_back(k[m * taps + t]);
  }
}

/// The estimates are in cycles for one image, fitted to the course's layers on an AVX-512 machine.
/// They count two vector multiply-adds a cycle, 2 to copy a vector of x, 6 to copy a row's edge
/// into y. Each vector of x that the L1 cache does not hold counts half a cycle.
template <class Acc>
EdgeMethod FastConv<Acc>::cheapest_edge() const {
  const Size W_out = shape_.W_out(), left = W_out % lanes_;
  if (left == 0) return EdgeMethod::overlap;
  const double taps = static_cast<double>(shape_.C) * shape_.K * shape_.K;
  const double rows_in = static_cast<double>(shape_.C) * shape_.K * shape_.H;
  const double rows_out = shape_.H_out();
  const auto lay = [&](Size columns) {
    const double bytes = rows_in * static_cast<double>(columns) * sizeof(Acc);
    const double loads = taps * rows_out * static_cast<double>(columns) /
                         static_cast<double>(lanes_) * static_cast<double>(groups_.size());
    return 2 * rows_in * static_cast<double>(ceil_div(columns, lanes_)) +
           (bytes > (32 << 10) ? 0.5 * loads : 0);
  };
  const double again = static_cast<double>(lanes_ - left) / static_cast<double>(lanes_);
  const double overlap = W_out < lanes_ ? 1e300 : rows_out * shape_.M * taps * again / 2;
  const double gather = lay(left) + 6 * rows_out * shape_.M;
  const double merge = lay(W_out);
  if (overlap <= gather && overlap <= merge) return EdgeMethod::overlap;
  return gather < merge ? EdgeMethod::gather : EdgeMethod::merge;
}

template <class Acc>
void FastConv<Acc>::plan(EdgeMethod edge) {
  const Size C = shape_.C, H = shape_.H, W = shape_.W, K = shape_.K, S = shape_.S;
  const Size H_out = shape_.H_out(), W_out = shape_.W_out();
  if (edge == EdgeMethod::overlap && W_out >= lanes_) {
    body_vectors_ = ceil_div(W_out, lanes_);
  } else {
    body_vectors_ = edge == EdgeMethod::gather ? W_out / lanes_ : 0;
    edge_columns_ = W_out - body_vectors_ * lanes_;
  }
  pitch_ = ceil_div(W, S);
  // A vector more than the rows take, so that copying by whole vectors stays in the plane.
  edge_plane_ = ceil_div(H, S) * edge_columns_ + lanes_;
  for (Size c = 0; c < C; ++c)
    for (Size p = 0; p < K; ++p)
      for (Size q = 0; q < K; ++q) {
        body_tap_.push_back(((c * S + q % S) * H + p) * pitch_ + q / S);
        edge_tap_.push_back(((c * K + q) * S + p % S) * edge_plane_ + p / S * edge_columns_);
      }
  for (Size h = 0; h < H_out; ++h)
    for (Size v = 0; v < body_vectors_; ++v) {
      const Size w = std::min(v * lanes_, W_out - lanes_);
      body_x_.push_back(h * S * pitch_ + w);
      body_y_.push_back(h * W_out + w);
    }
  for (const Group& group : groups_) {
    const Size most = conv_kernels::of<Acc>(isa_).max_vectors[group.maps];
    blocks_ += ceil_div(H_out * body_vectors_, most) +
               ceil_div(ceil_div(H_out * edge_columns_, lanes_), most);
  }
}

template <class Acc>
void FastConv<Acc>::image(const float* x, Acc* y) const {
  part(x, y, {0, shape_.H_out(), 0, map_groups()});
}

template <class Acc>
void FastConv<Acc>::part(const float* x, Acc* y, const Part& part,
                         const std::function<void()>& between) const {
  const Size C = shape_.C, H = shape_.H, K = shape_.K, S = shape_.S;
  const Size W_out = shape_.W_out(), plane = shape_.H_out() * W_out;
  const Size rows = part.h_end - part.h_begin;
  if (rows <= 0 || part.g_begin >= part.g_end) return;

  // The edge's long row: n outputs, as vectors of which the last may hang over.
  const Size n = rows * edge_columns_, edge_vectors = ceil_div(n, lanes_);
  const Size edge_plane = edge_vectors * lanes_;
  const bool dense = edge_columns_ == W_out && n >= lanes_;  // that row is y's own
  const Size spread_size = C * S * H * pitch_;
  const Size packed_size = edge_columns_ > 0 ? C * K * S * edge_plane_ + lanes_ : 0;
  Acc* const memory = scratch<Acc>(spread_size + packed_size + (dense ? 0 : shape_.M * edge_plane));
  Acc* const packed = memory + spread_size;
  Acc* const edge = packed + packed_size;
  const Acc* const body = spread(x, memory, part);

  // The edge goes first. Its rows are copied out by whole vectors; the next row's edge or the body
  // overwrites the excess later.
  if (edge_columns_ > 0) {
    lay_edge(body, body + spread_size, packed, part);
    Size* const position = scratch<Size>(edge_vectors);
    for (Size v = 0; v < edge_vectors; ++v) position[v] = v * lanes_;
    if (dense) position[edge_vectors - 1] = n - lanes_;
    const Acc* const from = packed + part.h_begin * edge_columns_;
    for (int g = part.g_begin; g < part.g_end; ++g) {
      const Group& group = groups_[static_cast<std::size_t>(g)];
      if (dense) {
        run_blocks(group, from, position, edge_tap_.data(),
                   y + group.first_map * plane + part.h_begin * W_out, position, plane,
                   edge_vectors, between);
      } else {
        run_blocks(group, from, position, edge_tap_.data(), edge + group.first_map * edge_plane,
                   position, edge_plane, edge_vectors, between);
      }
    }
    const int m_begin = groups_[static_cast<std::size_t>(part.g_begin)].first_map;
    const Group& last = groups_[static_cast<std::size_t>(part.g_end - 1)];
    for (Size m = m_begin; !dense && m < last.first_map + last.maps; ++m) {
      Acc* const to = y + m * plane + part.h_begin * W_out;
      conv_kernels::of<Acc>(isa_).copy_rows(edge + m * edge_plane, edge_columns_,
                                            edge + (m + 1) * edge_plane, to + W_out - edge_columns_,
                                            W_out, to + rows * W_out, rows, edge_columns_);
    }
  }
  const Size first = part.h_begin * body_vectors_;
  for (int g = part.g_begin; g < part.g_end && body_vectors_ > 0; ++g) {
    const Group& group = groups_[static_cast<std::size_t>(g)];
    run_blocks(group, body, body_x_.data() + first, body_tap_.data(), y + group.first_map * plane,
               body_y_.data() + first, plane, rows * body_vectors_, between);
  }
}

/// Runs the group's kernel over `vectors` positions in blocks as equal as can be.
template <class Acc>
void FastConv<Acc>::run_blocks(const Group& group, const Acc* x, const Size* x_position,
                               const Size* tap, Acc* y, const Size* y_position, Size y_plane,
                               Size vectors, const std::function<void()>& between) const {
  const auto& kernel = conv_kernels::of<Acc>(isa_);
  const Size blocks = ceil_div(vectors, kernel.max_vectors[group.maps]);
  const Acc* const w = weights_.data() + group.weights;
  const auto taps = static_cast<Size>(body_tap_.size());
  for (Size i = 0; i < blocks; ++i) {
    const Size begin = vectors * i / blocks, end = vectors * (i + 1) / blocks;
    kernel.block[group.maps][end - begin](x, x_position + begin, tap, taps, w, y,
                                          y_position + begin, y_plane);
    if (between) between();
  }
}

/// The rows of x that the part needs, as [c][column mod S][row][column / S] in Acc; the image
/// itself where that is the same.
template <class Acc>
const Acc* FastConv<Acc>::spread(const float* x, Acc* to, const Part& part) const {
  const Size C = shape_.C, H = shape_.H, W = shape_.W, S = shape_.S;
  if constexpr (std::is_same_v<Acc, float>) {
    if (S == 1) return x;
  }
  const Size r_begin = part.h_begin * S, r_end = (part.h_end - 1) * S + shape_.K;
  for (Size c = 0; c < C; ++c) {
    if (S == 1) {
      conv_kernels::of<Acc>(isa_).widen(x + (c * H + r_begin) * W, (r_end - r_begin) * W,
                                        to + (c * H + r_begin) * W);
      continue;
    }
    for (Size phase = 0; phase < S; ++phase)
      for (Size r = r_begin; r < r_end; ++r) {
        const float* const from = x + (c * H + r) * W;
        Acc* const row = to + ((c * S + phase) * H + r) * pitch_;
        for (Size i = 0, w = phase; w < W; ++i, w += S) row[i] = from[w];
      }
  }
  return to;
}

/// For each (c, q) and row phase, the edge columns of all rows the part needs, laid end to end. The
/// q of one column phase (q mod S) are shifts of each other.
template <class Acc>
void FastConv<Acc>::lay_edge(const Acc* x, const Acc* x_end, Acc* packed, const Part& part) const {
  const Size C = shape_.C, H = shape_.H, K = shape_.K, S = shape_.S;
  const Size r_begin = part.h_begin * S, r_end = (part.h_end - 1) * S + K;
  const Size column = body_vectors_ * lanes_;
  const Acc* const packed_end = packed + C * K * S * edge_plane_;
  for (Size c = 0; c < C; ++c)
    for (Size q = 0; q < std::min(S, K); ++q)
      for (Size phase = 0; phase < S; ++phase)
        conv_kernels::of<Acc>(isa_).copy_shifted(
            x + ((c * S + q) * H + r_begin + phase) * pitch_ + column, S * pitch_, x_end,
            packed + ((c * K + q) * S + phase) * edge_plane_ + part.h_begin * edge_columns_,
            edge_columns_, packed_end, ceil_div(r_end - r_begin - phase, S), edge_columns_,
            ceil_div(K - q, S), S * S * edge_plane_);
}

template class FastConv<float>;
template class FastConv<double>;

}  // namespace opgrade
