#include "grader/network/maxpool.hpp"

#include <algorithm>

namespace opgrade {
namespace {

inline float larger(float a, float b) { return a > b ? a : b; }

// The rows of a window are folded into one first: that loop runs along memory and vectorises.
void fold_rows(const float* __restrict in, int W, int rows, float* __restrict row) {
  if (rows == 1) {
    std::copy_n(in, W, row);
    return;
  }
  for (int w = 0; w < W; ++w) row[w] = larger(in[w], in[w + W]);
  for (int r = 2; r < rows; ++r) {
    const float* next = in + r * W;
    for (int w = 0; w < W; ++w) row[w] = larger(row[w], next[w]);
  }
}

// With the window known to the compiler the strided loads become shuffles.
template <int Window>
void fold_whole_windows(const float* __restrict row, int count, float* __restrict out) {
  for (int w = 0; w < count; ++w) {
    float best = row[w * Window];
    for (int i = 1; i < Window; ++i) best = larger(best, row[w * Window + i]);
    out[w] = best;
  }
}

void fold_windows(const float* row, const PoolShape& shape, int from, float* out) {
  for (int w = from; w < shape.W_out; ++w) {
    const int left = w * shape.stride;
    const int right = std::min(left + shape.window, shape.W);
    float best = row[left];
    for (int i = left + 1; i < right; ++i) best = larger(best, row[i]);
    out[w] = best;
  }
}

}  // namespace

void maxpool_map(const PoolShape& shape, const float* in, float* out, std::span<float> row) {
  const int whole = (shape.W - shape.window) / shape.stride + 1;
  for (int h = 0; h < shape.H_out; ++h) {
    const int top = h * shape.stride;
    const int rows = std::min(shape.window, shape.H - top);
    fold_rows(in + top * shape.W, shape.W, rows, row.data());
    int done = 0;
    if (shape.window == shape.stride && shape.window == 2) {
      fold_whole_windows<2>(row.data(), done = whole, out);
    } else if (shape.window == shape.stride && shape.window == 4) {
      fold_whole_windows<4>(row.data(), done = whole, out);
    }
    fold_windows(row.data(), shape, done, out);
    out += shape.W_out;
  }
}

}  // namespace opgrade
