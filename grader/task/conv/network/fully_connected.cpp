#include "grader/task/conv/network/fully_connected.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "grader/base/core/vector_clones.hpp"

namespace opgrade {
namespace {

constexpr int kLanes = 8;
using Lanes = float __attribute__((vector_size(kLanes * sizeof(float))));

// Number of inputs in a piece. With 32 images and a hundred outputs a piece of x and W stays in the
// second-level cache. A piece is also the longest sum in float.
constexpr std::int64_t kPiece = 512;

// 4 x 2 sums and 6 loads per step: the most that 16 vector registers hold.
constexpr int kTileImages = 4;
constexpr int kTileOutputs = 2;

/// Adds the products of one piece to sums[image][output]; a row has `out` sums.
template <int Images, int Outputs>
[[gnu::always_inline]] inline void add_tile(const float* x, const float* weights, std::int64_t in,
                                            std::int64_t length, double* sums, int out) {
  Lanes total[Images][Outputs] = {};
  const auto step = [&](std::int64_t at, std::size_t count) __attribute__((always_inline)) {
    Lanes values[Outputs] = {};
    for (int o = 0; o < Outputs; ++o) {
      std::memcpy(&values[o], weights + o * in + at, count * sizeof(float));
    }
    for (int b = 0; b < Images; ++b) {
      Lanes pixels = {};
      std::memcpy(&pixels, x + b * in + at, count * sizeof(float));
      for (int o = 0; o < Outputs; ++o) total[b][o] += pixels * values[o];
    }
  };
  const std::int64_t whole = length / kLanes * kLanes;
  for (std::int64_t at = 0; at < whole; at += kLanes) step(at, kLanes);
  if (whole < length) step(whole, static_cast<std::size_t>(length - whole));
  for (int b = 0; b < Images; ++b) {
    for (int o = 0; o < Outputs; ++o) {
      double sum = 0;
      for (int lane = 0; lane < kLanes; ++lane) sum += static_cast<double>(total[b][o][lane]);
      sums[b * out + o] += sum;
    }
  }
}

template <int Outputs>
[[gnu::always_inline]] inline void add_column(const float* x, int images, const float* weights,
                                              std::int64_t in, std::int64_t length, double* sums,
                                              int out) {
  int b = 0;
  for (; b + kTileImages <= images; b += kTileImages) {
    add_tile<kTileImages, Outputs>(x + b * in, weights, in, length, sums + b * out, out);
  }
  for (; b < images; ++b)
    add_tile<1, Outputs>(x + b * in, weights, in, length, sums + b * out, out);
}

OPGRADE_VECTOR_CLONES
void add_piece(const float* x, int images, const float* weights, std::int64_t in,
               std::int64_t length, double* sums, int out) {
  int o = 0;
  for (; o + kTileOutputs <= out; o += kTileOutputs) {
    add_column<kTileOutputs>(x, images, weights + o * in, in, length, sums + o, out);
  }
  for (; o < out; ++o) add_column<1>(x, images, weights + o * in, in, length, sums + o, out);
}

}  // namespace

void fully_connected(const float* x, int images, std::int64_t in, const float* weights,
                     const float* bias, int out, float* y) {
  std::vector<double> sums(static_cast<std::size_t>(images) * static_cast<std::size_t>(out), 0);
  for (std::int64_t at = 0; at < in; at += kPiece) {
    add_piece(x + at, images, weights + at, in, std::min(kPiece, in - at), sums.data(), out);
  }
  for (int b = 0; b < images; ++b) {
    for (int o = 0; o < out; ++o) {
      y[b * out + o] = static_cast<float>(sums[std::size_t(b) * std::size_t(out) + std::size_t(o)] +
                                          static_cast<double>(bias[o]));
    }
  }
}

}  // namespace opgrade
