#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "grader/task/conv/device/truth.hpp"

namespace opgrade {
namespace {

constexpr unsigned kWholeWarp = 0xffffffffU;
constexpr int kBatch = 8;  // loads that a thread has in flight at a time

__device__ void raise_to(unsigned long long* largest, double value) {
  atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(value)));
}

/// Reads the weights of tap `tap` of C K K for the maps from m0 on; zeros beyond the last map.
template <class Index>
__device__ void read_weights(double2 (&to)[kTruthMaps / 2], const float* k, const ConvShape& s,
                             int m0, Index tap) {
  const long long taps = static_cast<long long>(s.C) * s.K * s.K;
  double weight[kTruthMaps];
  for (int j = 0; j < kTruthMaps; ++j) weight[j] = m0 + j < s.M ? k[(m0 + j) * taps + tap] : 0;
  for (int j = 0; j < kTruthMaps / 2; ++j) to[j] = make_double2(weight[2 * j], weight[2 * j + 1]);
}

/// The kernel for stride 1, bound by the multiply-adds. A thread slides the rows of one column over
/// the weights of that column, so each loaded value serves up to K * kTruthMaps multiply-adds.
/// Floats become doubles once, on the way to shared memory.
template <int K, int kRows>
__global__ void __launch_bounds__(kTruthThreads, 2)
    tiled(const float* __restrict__ x, const float* __restrict__ k, double* __restrict__ want,
          unsigned long long* largest, ConvShape s, TruthPlan plan, int first, int count) {
  extern __shared__ double tile[];                    // [image][column][row]
  __shared__ double2 weights[K * K][kTruthMaps / 2];  // [q][p]
  const int H_out = s.H - K + 1;
  const int W_out = s.W - K + 1;
  const int x_rows = plan.x_rows(s);
  const int pitch = plan.pitch(s);
  const int m0 = static_cast<int>(blockIdx.x) * kTruthMaps;
  const int h0 = static_cast<int>(blockIdx.y) * kRows * plan.groups;
  const int image0 = static_cast<int>(blockIdx.z) * plan.images;

  // Threads beyond the last item repeat it and discard their results. One register holds all three
  // numbers while the sums need the other registers.
  const unsigned item = min(threadIdx.x, plan.items(s) - 1U);
  const unsigned line = item / static_cast<unsigned>(W_out);
  const unsigned line_n = line / static_cast<unsigned>(plan.groups);
  const unsigned place =
      (item - line * W_out) | ((line - line_n * plan.groups) << 10) | (line_n << 20);
  const auto w = [&] { return static_cast<int>(place & 1023); };
  const auto group = [&] { return static_cast<int>(place >> 10 & 1023); };
  const auto n = [&] { return static_cast<int>(place >> 20); };

  double sum[kRows][kTruthMaps] = {};
  for (int c = 0; c < s.C; ++c) {
    __syncthreads();
    // Neighbouring threads read neighbouring columns. If there are more threads than columns, each
    // thread takes every parts-th row.
    const unsigned W = s.W;
    const unsigned columns = plan.images * W;
    const unsigned parts = columns < blockDim.x ? blockDim.x / columns : 1;
    for (unsigned t = threadIdx.x; t < columns * parts; t += blockDim.x) {
      const unsigned part = t / columns;
      const unsigned column = t - part * columns;
      const unsigned from_n = column / W;
      const int there = image0 + static_cast<int>(from_n) < count ? min(x_rows, s.H - h0) : 0;
      const float* const from =
          x + ((static_cast<long long>(first + image0 + from_n) * s.C + c) * s.H + h0) * W +
          (column - from_n * W);
      double* const to = tile + column * pitch;
#pragma unroll 1
      for (int r = static_cast<int>(part); r < x_rows; r += static_cast<int>(kBatch * parts)) {
        float value[kBatch];
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
          const int at = r + i * static_cast<int>(parts);
          value[i] = at < there ? from[at * s.W] : 0;
        }
#pragma unroll
        for (int i = 0; i < kBatch; ++i) {
          const int at = r + i * static_cast<int>(parts);
          if (at < x_rows) to[at] = value[i];
        }
      }
    }
#pragma unroll 1
    for (int t = threadIdx.x; t < K * K; t += blockDim.x)
      read_weights(weights[t], k, s, m0, (c * K + t % K) * K + t / K);
    __syncthreads();
    const double* column = tile + (n() * s.W + w()) * pitch + group() * kRows;
#pragma unroll(K == 3 ? 3 : 1)
    for (int q = 0; q < K; ++q, column += pitch) {
      double value[kRows + K - 1];
#pragma unroll
      for (int r = 0; r < kRows + K - 1; ++r) value[r] = column[r];
#pragma unroll
      for (int p = 0; p < K; ++p) {
#pragma unroll
        for (int j = 0; j < kTruthMaps / 2; ++j) {
          const double2 weight = weights[q * K + p][j];
#pragma unroll
          for (int i = 0; i < kRows; ++i) {
            sum[i][2 * j] += value[i + p] * weight.x;
            sum[i][2 * j + 1] += value[i + p] * weight.y;
          }
        }
      }
    }
  }

  const bool exists = static_cast<int>(threadIdx.x) < plan.items(s) && image0 + n() < count;
  const int h = h0 + group() * kRows;
  double* const out =
      want + ((static_cast<long long>(image0 + n()) * s.M + m0) * H_out + h) * W_out + w();
  const int map = H_out * W_out;
  double mine = 0;  // with its sign, because ignoring a sign costs nothing
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    if (!exists || h + i >= H_out) continue;
#pragma unroll
    for (int j = 0; j < kTruthMaps; ++j) {
      if (m0 + j >= s.M) continue;
      out[j * map + i * W_out] = sum[i][j];
      if (fabs(sum[i][j]) > fabs(mine)) mine = sum[i][j];
    }
  }
  mine = fabs(mine);
  // A warp may have threads of several images, with each image's threads next to each other: the
  // first thread of an image gathers the largest value.
  for (int distance = 1; distance < warpSize; distance *= 2) {
    const double other = __shfl_down_sync(kWholeWarp, mine, distance);
    const int other_n = __shfl_down_sync(kWholeWarp, n(), distance);
    if (other_n == n()) mine = fmax(mine, other);
  }
  const int lane = static_cast<int>(threadIdx.x) % warpSize;
  const int before = __shfl_up_sync(kWholeWarp, n(), 1);
  if (exists && (lane == 0 || before != n())) raise_to(&largest[image0 + n()], mine);
}

constexpr int kPlaces = 4;         // places of a map that a thread of general() computes
constexpr int kGeneralBlock = 64;  // few threads, so that small maps leave few of them idle
// Number of the C K K products of an output that are processed at a time.
constexpr int kTaps = 256;

/// The kernel for every shape. Blocks are numbered by places of a map, images, groups of maps.
/// Index is the type of indices in an image of x and in a map of y.
template <class Index>
__global__ void __launch_bounds__(kGeneralBlock)
    general(const float* __restrict__ x, const float* __restrict__ k, double* __restrict__ want,
            unsigned long long* largest, ConvShape s, int first) {
  __shared__ double2 weights[kTaps][kTruthMaps / 2];
  __shared__ Index offsets[kTaps];
  __shared__ double block_largest[kGeneralBlock];
  const Index places = static_cast<Index>(s.H_out()) * s.W_out();
  const int image = blockIdx.y;
  const int m0 = blockIdx.z * kTruthMaps;
  const Index taps = static_cast<Index>(s.C) * s.K * s.K;
  const float* from[kPlaces];
  for (int i = 0; i < kPlaces; ++i) {
    const Index place =
        (static_cast<Index>(blockIdx.x) * kPlaces + i) * kGeneralBlock + threadIdx.x;
    const Index inside = place < places ? place : places - 1;
    const int h = static_cast<int>(inside / s.W_out());
    const int w = static_cast<int>(inside % s.W_out());
    from[i] = x + static_cast<long long>(first + image) * s.x_image() +
              static_cast<long long>(h * s.S) * s.W + w * s.S;
  }
  double sum[kPlaces][kTruthMaps] = {};
  for (Index begin = 0; begin < taps; begin += kTaps) {
    const int count = static_cast<int>(min(static_cast<Index>(kTaps), taps - begin));
    __syncthreads();
    for (int t = threadIdx.x; t < count; t += kGeneralBlock) {
      const Index tap = begin + t;
      const Index q = tap % s.K;
      const Index p = tap / s.K % s.K;
      const Index c = tap / (static_cast<Index>(s.K) * s.K);
      offsets[t] = (c * s.H + p) * s.W + q;
      read_weights(weights[t], k, s, m0, tap);
    }
    __syncthreads();
    for (int t = 0; t < count; ++t) {
      const Index offset = offsets[t];
      double value[kPlaces];
#pragma unroll
      for (int i = 0; i < kPlaces; ++i) value[i] = from[i][offset];
#pragma unroll
      for (int j = 0; j < kTruthMaps / 2; ++j) {
        const double2 weight = weights[t][j];
#pragma unroll
        for (int i = 0; i < kPlaces; ++i) {
          sum[i][2 * j] += value[i] * weight.x;
          sum[i][2 * j + 1] += value[i] * weight.y;
        }
      }
    }
  }
  double mine = 0;
  for (int i = 0; i < kPlaces; ++i) {
    const Index place =
        (static_cast<Index>(blockIdx.x) * kPlaces + i) * kGeneralBlock + threadIdx.x;
    for (int j = 0; j < kTruthMaps; ++j) {
      if (place >= places || m0 + j >= s.M) continue;
      want[(static_cast<long long>(image) * s.M + m0 + j) * places + place] = sum[i][j];
      mine = fmax(mine, fabs(sum[i][j]));
    }
  }
  block_largest[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kGeneralBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      block_largest[threadIdx.x] =
          fmax(block_largest[threadIdx.x], block_largest[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) raise_to(&largest[image], block_largest[0]);
}

using Tiled = void (*)(const float*, const float*, double*, unsigned long long*, ConvShape,
                       TruthPlan, int, int);

template <int K>
Tiled with_rows(int rows) {
  return rows == 5 ? tiled<K, 5> : rows == 7 ? tiled<K, 7> : tiled<K, 8>;
}

}  // namespace

int truth_images_at_a_time(const ConvShape& s) {
  constexpr std::int64_t kScratch = std::int64_t{1} << 29;  // bytes
  constexpr std::int64_t kMostBlocks = 65535;
  const std::int64_t room = kScratch / static_cast<std::int64_t>(sizeof(double)) / s.y_image();
  return static_cast<int>(
      std::min({std::int64_t{s.B}, std::max<std::int64_t>(room, 1), kMostBlocks}));
}

void launch_truth(const TruthPlan& plan, const float* x, const float* k, double* want,
                  unsigned long long* largest, const ConvShape& s, int first, int count) {
  const auto map_groups = static_cast<unsigned>((s.M + kTruthMaps - 1) / kTruthMaps);
  if (plan.rows == 0) {
    constexpr int kPerBlock = kGeneralBlock * kPlaces;
    const std::int64_t places = std::int64_t{s.H_out()} * s.W_out();
    const dim3 blocks(static_cast<unsigned>((places + kPerBlock - 1) / kPerBlock), count,
                      map_groups);
    const auto kernel = needs_wide_index(s) ? general<long long> : general<int>;
    kernel<<<blocks, kGeneralBlock>>>(x, k, want, largest, s, first);
    return;
  }
  // Blocks that read the same rows of x have consecutive numbers.
  const dim3 blocks(map_groups, plan.row_blocks(s), (count + plan.images - 1) / plan.images);
  const Tiled kernel = s.K == 3   ? with_rows<3>(plan.rows)
                       : s.K == 5 ? with_rows<5>(plan.rows)
                                  : with_rows<7>(plan.rows);
  kernel<<<blocks, plan.threads(s), plan.tile_bytes(s)>>>(x, k, want, largest, s, plan, first,
                                                          count);
}

}  // namespace opgrade
