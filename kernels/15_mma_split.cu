// 15. Split operands: 14 at full fp32 accuracy.
// Idea: 14 with each value as an fp16 head and an fp16 rest (22 bits), three products instead of
//   one, sums in fp32. The scale per image and per weight tensor makes that good for any range of
//   finite inputs (mma.cuh says how good). Head and rest lie side by side, so that one load of 16
//   bytes brings a lane both operands of six products.
// Bound by: the tensor cores. 3 products and 8 slots for 7 taps are 249 GFLOP for layer 2 of the
//   86x86 network at B=10000. That takes 0.39 ms at the measured rate.
// Next: one input channel uses half of each channel pair; 16 packs that case otherwise.
#include <numeric>

#include "kernels/mma.cuh"

namespace opgrade::kernels::rung15 {

constexpr int kMostWarps = 16;    // on a processor at once: 128 registers for each thread
constexpr int kWordBytes = 8;     // heads of two channels, rests of two channels
constexpr int kManyBlocks = 264;  // enough to give every processor of a large device two

/// A block works on a band of one image's output rows at a time. Shared memory holds the weights as
/// fragments and the next band as it comes (rows of W floats). It also holds this band as operands:
/// for each pair of channels a plane of words, a word being one pixel of both.
struct Layout {
  int pitch, plane, vector;       // words in a row, even; words in a plane; floats copied at once
  int bands, rows_out, rows_in;   // of an image; of a band
  int pairs_w, pairs, tiles;      // pixel pairs in a row and in a band; tiles of 8 pairs
  int row_tiles, count, steps;    // tiles of 8 maps at once; pixel tiles at once; products deep
  int weight_words, plane_words;  // 16-byte words of weights; words of all planes
  int raw_floats, warps;          // of a band as it comes; in a block
  std::size_t bytes;
};

Layout layout(const ConvShape& s) {
  Layout l;
  const int channel_pairs = ceil_div(s.C, 2), map_tiles = ceil_div(s.M, 8);
  l.pitch = ceil_div(s.W, 2) * 2;
  l.pairs_w = ceil_div(s.W_out(), 2);
  l.row_tiles = map_tiles < 3 ? map_tiles : 3;
  l.steps = channel_pairs * s.K;
  l.weight_words = l.steps * l.row_tiles * 32 * (kWordBytes / 4);
  const std::size_t weight_bytes = l.weight_words * std::size_t{16};
  const std::size_t room = (weight_bytes < kSharedMost / 4 ? kSharedMost / 2 : kSharedMost) - 1024;
  l.bands = 1;
  while (l.bands < s.H_out() / 4 && std::int64_t{l.bands} * s.B < kManyBlocks) ++l.bands;
  for (;; ++l.bands) {
    l.rows_out = ceil_div(s.H_out(), l.bands);
    if (l.bands > 1) l.rows_out += l.rows_out % 2;  // keeps bands aligned where rows are even
    l.rows_in = l.rows_out + s.K - 1;
    l.plane = l.rows_in * l.pitch;
    l.pairs = l.rows_out * l.pairs_w;
    l.plane_words = ceil_div(channel_pairs * l.plane + 8, 4) * 4;  // a window reaches 7 too far
    l.raw_floats = ceil_div(s.C * l.rows_in * s.W, 4) * 4;
    // Where a row's last pair is half, a second table says where outputs go.
    const int tables = s.W_out() % 2 == 0 ? 1 : 2;
    l.bytes = weight_bytes + std::size_t{kWordBytes} * l.plane_words +
              std::size_t{4} * (l.raw_floats + tables * l.pairs);
    if (l.bytes <= room || l.rows_out <= 2) break;
  }
  l.bands = ceil_div(s.H_out(), l.rows_out);
  l.tiles = ceil_div(l.pairs, 8);
  // With one band the image is a single stretch, with several each channel has its own.
  const std::int64_t unit = l.bands == 1 ? s.x_image() : std::gcd(s.H * s.W, l.rows_out * s.W);
  const std::int64_t length = l.bands == 1 ? s.x_image() : std::gcd(l.rows_in * s.W, s.H * s.W);
  l.vector = unit % 4 == 0 && length % 4 == 0 ? 4 : unit % 2 == 0 && length % 2 == 0 ? 2 : 1;
  const int blocks = static_cast<int>(kSharedMost / (l.bytes + 1024));
  l.warps = kMostWarps / (blocks < 1 ? 1 : blocks > 4 ? 4 : blocks);
  // The tiles at once that keep the busiest warp's share small; of equals the most.
  const auto share = [&](int count) { return ceil_div(ceil_div(l.tiles, count), l.warps) * count; };
  const auto consider = [&](int count) {
    if (share(count) <= share(l.count)) l.count = count;
  };
  l.count = l.row_tiles == 1 ? 4 : l.row_tiles == 2 ? 3 : 2;
  if (l.row_tiles == 2) consider(5), consider(6);
  if (l.row_tiles == 3) consider(3);
  return l;
}

/// kCount tiles of 16 pixels, from tile `first` of the band at y, for kRows x 8 maps.
template <int kRows, int kCount>
__device__ void multiply(const uint4* weights, const uint2* planes, const int* pair_at,
                         const Layout& l, const Dims& d, int first, int pairs, int m0,
                         float unscale, float* __restrict__ y) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  __syncwarp();
  const uint2* window[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    window[i] = planes + pair_at[min((first + i) * 8 + g, pairs - 1)] + 2 * t;

  float sum[kCount][kRows][4] = {};
  const uint4* a = weights + lane;
  for (int c = 0; c < d.C; c += 2) {
    for (int p = 0; p < d.K; ++p) {
      const int offset = c / 2 * l.plane + p * l.pitch;
      uint4 a_hi[kRows], a_lo[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r, a += 64) a_hi[r] = a[0], a_lo[r] = a[32];
      constexpr int kTurns = 2;  // tiles whose sums take turns: one alone would wait for itself
#pragma unroll
      for (int i0 = 0; i0 < kCount; i0 += kTurns) {
        uint4 b[kTurns];  // heads of slots 2t and 2t + 1, their rests
#pragma unroll
        for (int i = i0; i < i0 + kTurns && i < kCount; ++i)
          b[i - i0] = *reinterpret_cast<const uint4*>(window[i] + offset);
#pragma unroll
        for (int product = 0; product < 3; ++product)
#pragma unroll
          for (int i = i0; i < i0 + kTurns && i < kCount; ++i)
#pragma unroll
            for (int r = 0; r < kRows; ++r)
              mma_16x8x16(sum[i][r], product == 0 ? a_lo[r] : a_hi[r],
                          product == 1 ? b[i - i0].z : b[i - i0].x,
                          product == 1 ? b[i - i0].w : b[i - i0].y);
      }
    }
  }

  const bool fours = d.Wo % 2 == 0 && d.pixels % 4 == 0 && l.rows_out * d.Wo % 4 == 0;
  if (fours && (d.pixels | l.rows_out * d.Wo) % 8 != 0)
    return store_in_sectors(sum, unscale, m0, d.M, d.pixels, first * 16, 2 * pairs, y);
    // A lane holds two neighbouring pairs of map g: pixels 0, 2 in sum[0..1], 1, 3 in sum[2..3].
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int m = m0 + r * 8 + g;
    if (m >= d.M) break;
    float* map = y + std::int64_t{m} * d.pixels;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int pair = (first + i) * 8 + 2 * t;
      const float v[4] = {unscale * sum[i][r][0], unscale * sum[i][r][2], unscale * sum[i][r][1],
                          unscale * sum[i][r][3]};
      if (fours && pair + 1 < pairs) {
        reinterpret_cast<float4*>(map)[pair / 2] = make_float4(v[0], v[1], v[2], v[3]);
        continue;
      }
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        if (pair + j >= pairs) continue;
        // In the second table a negative entry is a row's last pair: a single pixel.
        const int at = d.Wo % 2 == 0 ? 2 * (pair + j) : pair_at[l.pairs + pair + j];
        map[at < 0 ? ~at : at] = v[2 * j];
        if (at >= 0) map[at + 1] = v[2 * j + 1];
      }
    }
  }
}

/// The image a unit of work belongs to, its first row (in x and in y) and how many rows of x it
/// has.
struct Band {
  int b, h0, rows;
};
__device__ Band band_of(const Dims& d, const Layout& l, int unit) {
  const int b = l.bands == 1 ? unit : unit / l.bands, h0 = (unit - b * l.bands) * l.rows_out;
  return {b, h0, min(l.rows_out, d.Ho - h0) + d.K - 1};
}

/// The block starts the copy of a band.
__device__ void start_copy(const float* __restrict__ x, float* raw, const Dims& d, const Layout& l,
                           const Band& band) {
  const float* from = x + band.b * d.x_image + band.h0 * d.W;
  const int count = band.rows * d.W;
  if (l.bands == 1) return copy_floats_async(raw, from, d.C * count, l.vector);
  for (int c = 0; c < d.C; ++c)
    copy_floats_async(raw + c * l.rows_in * d.W, from + c * d.H * d.W, count, l.vector);
}

/// The largest magnitude in what start_copy() made this thread copy.
__device__ unsigned largest_copied(const float* raw, const Dims& d, const Layout& l, int rows) {
  if (l.bands == 1) return largest_of_copied(raw, d.C * rows * d.W, l.vector);
  unsigned largest = 0;
  for (int c = 0; c < d.C; ++c)
    largest = max(largest, largest_of_copied(raw + c * l.rows_in * d.W, rows * d.W, l.vector));
  return largest;
}

/// The block makes operands of the band in `raw`.
__device__ void prepare(const float* raw, uint2* planes, const Dims& d, const Layout& l, int rows,
                        float scale) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, stretch = l.rows_in * d.W;
  const auto store = [&](uint2* to, float2 v, float2 u) {
    const Split even = split(v.x * scale, u.x * scale), odd = split(v.y * scale, u.y * scale);
    *reinterpret_cast<uint4*>(to) = make_uint4(even.hi, odd.hi, even.lo, odd.lo);
  };
  for (int c = 0; c < d.C; c += 2) {
    const float *first = raw + c * stretch, *second = first + stretch;
    const bool both = c + 1 < d.C;
    uint2* to = planes + c / 2 * l.plane;
    if (d.W % 2 == 0) {
      const auto pair = [&](const float* plane, int i) {
        return reinterpret_cast<const float2*>(plane)[i];
      };
      const int count = rows * d.W / 2, threads = blockDim.x;
      for (int i = threadIdx.x; i < count; i += 2 * threads) {  // two at once: loads before stores
        const int other = i + threads < count ? i + threads : i;
        const float2 v0 = pair(first, i), v1 = pair(first, other);
        const float2 u0 = both ? pair(second, i) : make_float2(0.0f, 0.0f);
        const float2 u1 = both ? pair(second, other) : make_float2(0.0f, 0.0f);
        store(to + 2 * i, v0, u0);
        store(to + 2 * other, v1, u1);
      }
    } else {
      for (int row = warp; row < rows; row += l.warps)
        for (int j = lane; j < l.pitch / 2; j += 32)
          store(to + row * l.pitch + 2 * j, pixel_pair(first + row * d.W, j, d.W),
                both ? pixel_pair(second + row * d.W, j, d.W) : make_float2(0.0f, 0.0f));
    }
  }
}

template <int kRows, int kCount>
__global__ void __launch_bounds__(kMostWarps * 32, 1)
    conv(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, Dims d,
         Layout l) {
  extern __shared__ uint4 weights[];
  uint2* planes = reinterpret_cast<uint2*>(weights + l.weight_words);
  float* raw = reinterpret_cast<float*>(planes + l.plane_words);
  int* pair_at = reinterpret_cast<int*>(raw + l.raw_floats);
  __shared__ unsigned largest_k, largest_x[2];
  const int tid = threadIdx.x, threads = blockDim.x;
  const int m0 = blockIdx.y * kRows * 8, units = d.B * l.bands;
  int unit = blockIdx.x;
  Band band = band_of(d, l, unit);

  start_copy(x, raw, d, l, band);
  if (tid == 0) largest_k = largest_x[0] = largest_x[1] = 0;
  for (int i = tid; i < l.plane_words; i += threads) planes[i] = uint2{};
  for (int i = tid; i < l.pairs; i += threads) {
    const int h = i / l.pairs_w, w = i % l.pairs_w * 2;
    pair_at[i] = h * l.pitch + w;
    if (d.Wo % 2 != 0) pair_at[l.pairs + i] = w + 1 < d.Wo ? h * d.Wo + w : ~(h * d.Wo + w);
  }
  __syncthreads();
  unsigned largest = 0;
#pragma unroll 8
  for (int i = tid; i < d.M * d.taps; i += threads) largest = max(largest, magnitude(k[i]));
  block_largest(largest, &largest_k);
  __syncthreads();
  const int exponent_k = scale_exponent(largest_k, kReachWeights);
  const float scale_k = power_of_two(exponent_k);

  // One lane's words of one row tile at one step: rows g (pixel 0) and g + 8 (pixel 1) of map g.
  // They are slots 2t and 2t + 1 of the window, channels c and c + 1.
#pragma unroll 2
  for (int i = tid; i < l.steps * kRows * 32; i += threads) {
    const int lane = i % 32, r = i / 32 % kRows, step = i / 32 / kRows;
    const int c = step / d.K * 2, p = step % d.K, m = m0 + r * 8 + lane / 4;
    unsigned hi[4], lo[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int q = lane % 4 * 2 + j / 2 - j % 2;  // slot minus the pixel's shift
      const auto weight = [&](int channel) {
        return m < d.M && channel < d.C && q >= 0 && q < d.K
                   ? k[((m * d.C + channel) * d.K + p) * d.K + q] * scale_k
                   : 0.0f;
      };
      const Split both = split(weight(c), weight(c + 1));
      hi[j] = both.hi, lo[j] = both.lo;
    }
    uint4* to = weights + (step * kRows + r) * 64 + lane;
    to[0] = make_uint4(hi[0], hi[1], hi[2], hi[3]);
    to[32] = make_uint4(lo[0], lo[1], lo[2], lo[3]);
  }

  for (int turn = 0; unit < units; turn ^= 1) {
    copies_done();
    block_largest(largest_copied(raw, d, l, band.rows), &largest_x[turn]);
    __syncthreads();
    const int exponent = scale_exponent_inputs(largest_x[turn], exponent_k);
    if (tid == 0) largest_x[turn ^ 1] = 0;
    prepare(raw, planes, d, l, band.rows, power_of_two(exponent));
    __syncthreads();

    const int pairs = (band.rows - d.K + 1) * l.pairs_w;
    float* out = y + band.b * d.y_image + band.h0 * d.Wo;
    unit += gridDim.x;
    band = band_of(d, l, unit);
    if (unit < units) start_copy(x, raw, d, l, band);
    const float unscale = power_of_two(-(exponent + exponent_k));
    for (int first = tid / 32 * kCount; first * 8 < pairs; first += l.warps * kCount)
      multiply<kRows, kCount>(weights, planes, pair_at, l, d, first, pairs, m0, unscale, out);
  }
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.S == 1 && s.K <= 7 && s.x_image() * 4 < INT32_MAX &&
         s.y_image() < INT32_MAX && s.k_size() < INT32_MAX &&
         std::int64_t{s.B} * s.H_out() < INT32_MAX && layout(s).bytes + 1024 <= kSharedMost;
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

template <int kRows, int kCount>
void run(const float* x, const float* k, float* y, const ConvShape& s, const Layout& l,
         cudaStream_t stream) {
  const auto kernel = conv<kRows, kCount>;
  allow_shared(kernel, l.bytes);
  const int resident = resident_blocks(kernel, l.warps * 32, l.bytes), units = s.B * l.bands;
  const dim3 grid(units < resident ? units : resident, ceil_div(s.M, 8 * kRows));
  kernel<<<grid, l.warps * 32, l.bytes, stream>>>(x, k, y, dims(s), l);
  CUDA_CHECK(cudaGetLastError());
}

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
            cudaStream_t stream) {
  const Layout l = layout(s);
  switch (l.row_tiles * 100 + l.count) {
    case 104:
      return run<1, 4>(x, k, y, s, l, stream);
    case 203:
      return run<2, 3>(x, k, y, s, l, stream);
    case 205:
      return run<2, 5>(x, k, y, s, l, stream);
    case 206:
      return run<2, 6>(x, k, y, s, l, stream);
    case 302:
      return run<3, 2>(x, k, y, s, l, stream);
    case 303:
      return run<3, 3>(x, k, y, s, l, stream);
  }
}

}  // namespace opgrade::kernels::rung15
