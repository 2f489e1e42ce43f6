// How it works. An output is a sum over taps t = (c, p, q). With x laid out well, the x values that
// a vector of neighbouring outputs needs for one tap are themselves neighbours, at a distance
// tap[t] from the vector's own position. So the whole convolution is one kernel
// (conv_kernels.hpp) over lists of positions:
//   body   the whole vectors inside each output row. Stride 1 in float reads the image itself;
//          otherwise it is copied once, widened to Acc, with the columns of each phase (column mod
//          S) side by side, so that strided outputs are neighbours too.
//   edge   the W_out mod lanes columns that are left. One row's would fill a vector badly (34
//          columns are two vectors of 16 and one of 2), so the edges of all rows are laid end to
//          end, once per q, and computed as one long row into scratch, then copied to their places.
#include "reference/conv_fast.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "reference/conv_kernels.hpp"

namespace opgrade {
namespace {

template <class Acc>
const conv_kernels::Kernels<Acc>& kernels(Isa isa) {
  if constexpr (std::is_same_v<Acc, float>) {
    return conv_kernels::kernels_for(isa).single;
  } else {
    return conv_kernels::kernels_for(isa).twice;
  }
}

/// Scratch that outlives a call, zeroed when it grows: no lane ever works on what memory held.
template <class Acc>
Acc* scratch(std::size_t elements) {
  thread_local std::vector<Acc> memory;
  if (memory.size() < elements) memory.resize(elements);
  return memory.data();
}

}  // namespace

template <class Acc>
FastConv<Acc>::FastConv(const ConvShape& shape, const float* k, Isa limit)
    : shape_(shape), isa_(best_isa(limit)) {
  if (!shape.valid()) throw std::invalid_argument("FastConv: the shape is not valid");
  const auto& kernel = kernels<Acc>(isa_);
  lanes_ = kernel.lanes;
  const std::ptrdiff_t C = shape.C, H = shape.H, W = shape.W, K = shape.K, S = shape.S;
  const std::ptrdiff_t H_out = shape.H_out(), W_out = shape.W_out(), taps = C * K * K;

  // Groups as equal as can be: 12 maps are 6 + 6, not 8 + 4.
  const int count = (shape.M + conv_kernels::kMaxMaps - 1) / conv_kernels::kMaxMaps;
  weights_.resize(static_cast<std::size_t>(shape.k_size()));
  std::ptrdiff_t at = 0;
  for (int g = 0; g < count; ++g) {
    const auto first = static_cast<int>(std::int64_t{shape.M} * g / count);
    const auto last = static_cast<int>(std::int64_t{shape.M} * (g + 1) / count);
    groups_.push_back({first, last - first, at});
    for (std::ptrdiff_t t = 0; t < taps; ++t)
      for (int m = first; m < last; ++m) weights_[at++] = k[m * taps + t];
  }

  body_vectors_ = static_cast<int>(W_out / lanes_);
  edge_columns_ = static_cast<int>(W_out % lanes_);
  pitch_ = (W + S - 1) / S;
  edge_rows_ = (H + S - 1) / S;
  for (std::ptrdiff_t c = 0; c < C; ++c)
    for (std::ptrdiff_t p = 0; p < K; ++p)
      for (std::ptrdiff_t q = 0; q < K; ++q) {
        body_tap_.push_back(((c * S + q % S) * H + p) * pitch_ + q / S);
        edge_tap_.push_back((((c * K + q) * S + p % S) * edge_rows_ + p / S) * edge_columns_);
      }
  for (std::ptrdiff_t h = 0; h < H_out; ++h)
    for (std::ptrdiff_t v = 0; v < body_vectors_; ++v) {
      body_x_.push_back(h * S * pitch_ + v * lanes_);
      body_y_.push_back(h * W_out + v * lanes_);
    }
  for (std::ptrdiff_t i = 0; i < H_out * edge_columns_; i += lanes_) edge_position_.push_back(i);
}

template <class Acc>
void FastConv<Acc>::image(const float* x, Acc* y) const {
  part(x, y, 0, shape_.H_out(), 0, map_groups());
}

template <class Acc>
void FastConv<Acc>::part(const float* x, Acc* y, int h_begin, int h_end, int g_begin,
                         int g_end) const {
  const std::ptrdiff_t C = shape_.C, H = shape_.H, K = shape_.K, S = shape_.S;
  const std::ptrdiff_t H_out = shape_.H_out(), W_out = shape_.W_out(), plane = H_out * W_out;
  const std::ptrdiff_t rows = h_end - h_begin;
  if (rows <= 0 || g_begin >= g_end) return;

  const std::ptrdiff_t spread_size = C * S * H * pitch_;
  const std::ptrdiff_t packed_size = C * K * S * edge_rows_ * edge_columns_ + lanes_;
  const std::ptrdiff_t edge_plane = H_out * edge_columns_ + lanes_;
  Acc* const memory = scratch<Acc>(static_cast<std::size_t>(
      spread_size + packed_size + edge_plane * conv_kernels::kMaxMaps));
  Acc* const packed = memory + spread_size;
  Acc* const edge = packed + packed_size;

  const Acc* const body = spread(x, memory, h_begin, h_end);

  // The edge goes first: its rows are copied out by whole vectors, and what these spill over is
  // computed later, by the next row's edge or by the body.
  if (edge_columns_ > 0) {
    merge_edge(body, body + spread_size, packed, h_begin, h_end);
    const std::ptrdiff_t begin = std::ptrdiff_t{h_begin} * edge_columns_;
    const std::ptrdiff_t vectors = (rows * edge_columns_ + lanes_ - 1) / lanes_;
    for (int g = g_begin; g < g_end; ++g) {
      const Group& group = groups_[static_cast<std::size_t>(g)];
      run_blocks(group, packed + begin, edge_position_.data(), edge_tap_.data(), edge,
                 edge_position_.data(), edge_plane, vectors);
      for (int m = 0; m < group.maps; ++m) {
        Acc* const to = y + (group.first_map + m) * plane + h_begin * W_out;
        kernels<Acc>(isa_).copy_rows(edge + m * edge_plane, edge_columns_, edge + (m + 1) * edge_plane,
                                     to + W_out - edge_columns_, W_out, to + rows * W_out, rows,
                                     edge_columns_);
      }
    }
  }
  if (body_vectors_ > 0) {
    const std::ptrdiff_t first = std::ptrdiff_t{h_begin} * body_vectors_;
    for (int g = g_begin; g < g_end; ++g) {
      const Group& group = groups_[static_cast<std::size_t>(g)];
      run_blocks(group, body, body_x_.data() + first, body_tap_.data(), y + group.first_map * plane,
                 body_y_.data() + first, plane, rows * body_vectors_);
    }
  }
}

/// Runs the group's kernel over `vectors` positions in blocks as equal as can be.
template <class Acc>
void FastConv<Acc>::run_blocks(const Group& group, const Acc* x, const std::ptrdiff_t* x_position,
                               const std::ptrdiff_t* tap, Acc* y, const std::ptrdiff_t* y_position,
                               std::ptrdiff_t y_plane, std::ptrdiff_t vectors) const {
  const auto& kernel = kernels<Acc>(isa_);
  const std::ptrdiff_t most = kernel.max_vectors[group.maps];
  const std::ptrdiff_t blocks = (vectors + most - 1) / most;
  const Acc* const w = weights_.data() + group.weights;
  const auto taps = static_cast<std::ptrdiff_t>(body_tap_.size());
  for (std::ptrdiff_t i = 0; i < blocks; ++i) {
    const std::ptrdiff_t begin = vectors * i / blocks, end = vectors * (i + 1) / blocks;
    kernel.block[group.maps][end - begin](x, x_position + begin, tap, taps, w, y,
                                          y_position + begin, y_plane);
  }
}

/// The rows of x that output rows [h_begin, h_end) need, as [c][column mod S][row][column / S] in
/// Acc. The image itself where that is the same.
template <class Acc>
const Acc* FastConv<Acc>::spread(const float* x, Acc* to, int h_begin, int h_end) const {
  const std::ptrdiff_t C = shape_.C, H = shape_.H, W = shape_.W, S = shape_.S;
  if constexpr (std::is_same_v<Acc, float>) {
    if (S == 1) return x;
  }
  const std::ptrdiff_t r_begin = h_begin * S, r_end = (h_end - 1) * S + shape_.K;
  for (std::ptrdiff_t c = 0; c < C; ++c) {
    if (S == 1) {
      kernels<Acc>(isa_).widen(x + (c * H + r_begin) * W, (r_end - r_begin) * W,
                               to + (c * H + r_begin) * W);
      continue;
    }
    for (std::ptrdiff_t phase = 0; phase < S; ++phase)
      for (std::ptrdiff_t r = r_begin; r < r_end; ++r) {
        const float* const from = x + (c * H + r) * W;
        Acc* const row = to + ((c * S + phase) * H + r) * pitch_;
        for (std::ptrdiff_t i = 0, w = phase; w < W; ++i, w += S) row[i] = from[w];
      }
  }
  return to;
}

/// For each (c, q) and row phase, the edge columns of all needed rows, laid end to end.
template <class Acc>
void FastConv<Acc>::merge_edge(const Acc* x, const Acc* x_end, Acc* packed, int h_begin,
                               int h_end) const {
  const std::ptrdiff_t C = shape_.C, H = shape_.H, K = shape_.K, S = shape_.S;
  const std::ptrdiff_t r_begin = h_begin * S, r_end = (h_end - 1) * S + K;
  const std::ptrdiff_t column = std::ptrdiff_t{body_vectors_} * lanes_;
  const Acc* const packed_end = packed + C * K * S * edge_rows_ * edge_columns_ + lanes_;
  for (std::ptrdiff_t c = 0; c < C; ++c)
    for (std::ptrdiff_t q = 0; q < K; ++q)
      for (std::ptrdiff_t phase = 0; phase < S; ++phase) {
        const std::ptrdiff_t rows = (r_end - r_begin - phase + S - 1) / S;
        const Acc* const from =
            x + ((c * S + q % S) * H + r_begin + phase) * pitch_ + column + q / S;
        Acc* const to =
            packed + (((c * K + q) * S + phase) * edge_rows_ + h_begin) * edge_columns_;
        kernels<Acc>(isa_).copy_rows(from, S * pitch_, x_end, to, edge_columns_, packed_end, rows,
                                     edge_columns_);
      }
}

template class FastConv<float>;
template class FastConv<double>;

namespace {

/// Calls task(i) for every i below `tasks` on `threads` threads; the first exception is rethrown.
template <class Task>
void in_parallel(std::int64_t tasks, int threads, const Task& task) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  threads = static_cast<int>(std::min<std::int64_t>(threads, tasks));
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      for (std::int64_t i = next++; i < tasks; i = next++) task(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = tasks;
    }
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  if (failure) std::rethrow_exception(failure);
}

template <class Acc>
void whole_batch(const ConvShape& shape, const float* x, const float* k, Acc* y, int threads) {
  const FastConv<Acc> conv(shape, k);
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  // Four pieces per thread keep the threads' ends together; an image is cut by rows first.
  const std::int64_t pieces =
      threads == 1 ? 1 : std::max<std::int64_t>(1, (4LL * threads + shape.B - 1) / shape.B);
  const std::int64_t row_parts = std::min<std::int64_t>(pieces, shape.H_out());
  const std::int64_t map_parts =
      std::min<std::int64_t>((pieces + row_parts - 1) / row_parts, conv.map_groups());
  const std::int64_t parts = row_parts * map_parts;
  in_parallel(shape.B * parts, threads, [&](std::int64_t i) {
    const std::int64_t b = i / parts, row = i % parts / map_parts, map = i % map_parts;
    const auto cut = [](std::int64_t whole, std::int64_t part, std::int64_t of) {
      return static_cast<int>(whole * part / of);
    };
    conv.part(x + b * shape.x_image(), y + b * shape.y_image(),
              cut(shape.H_out(), row, row_parts), cut(shape.H_out(), row + 1, row_parts),
              cut(conv.map_groups(), map, map_parts), cut(conv.map_groups(), map + 1, map_parts));
  });
}

}  // namespace

void conv_fast(const ConvShape& shape, const float* x, const float* k, float* y, int threads) {
  whole_batch(shape, x, k, y, threads);
}

void conv_fast(const ConvShape& shape, const float* x, const float* k, double* y, int threads) {
  whole_batch(shape, x, k, y, threads);
}

}  // namespace opgrade
