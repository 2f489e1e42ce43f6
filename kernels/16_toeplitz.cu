// 16. Toeplitz rows for one input channel.
// Idea: with C = 1 the 16 rows of a product hold 4 maps x 2x2 pixels, and its columns 2x2 pixel
//   blocks. A block's window is (K+1) x (K+1), 8x8 for K=7. That is exactly four products of depth
//   16, 49/64 of them used, where channel pairs (14, 15) would waste half. A warp walks down a
//   column of blocks. Each pair of input rows is read once and used by all blocks above it, which
//   are (K+1)/2 independent sums. Operands are split as in 15, at fp32 accuracy and any finite
//   range.
// Bound by: bytes, and the order they are written in. Layer 1 of the 86x86 network at B=10000 reads
//   296 MB and writes 1024 MB. That takes 0.31 ms as one sweep, 0.39 ms in a fragment's pieces of
//   64 bytes. The tensor cores need about half of that time for its 98 GFLOP.
// Next: let every layer have the kernel that suits it (17).
#include <numeric>
#include <type_traits>

#include "kernels/mma.cuh"

namespace opgrade::kernels::rung16 {

constexpr int kMaps = 4;
constexpr int kMostWarps = 10;    // in a block
constexpr int kManyBlocks = 264;  // enough to give every processor of a large device two

/// The operand's word, two rows of two neighbouring pixels: heads and rests, or, for 18, heads
/// alone.
template <bool kSplit>
using Word = std::conditional_t<kSplit, uint4, uint2>;

/// As in 14 and 15 a block works on a band of an image's output rows while the next is on its way.
struct Layout {
  int cols, vector;               // pixel pairs in a row; floats copied at once
  unsigned inverse;               // of cols, times 2^32
  int bands, rows_out, rows_in;   // of an image; of a band, both even
  int blocks_h, tiles, groups;    // 2x2 blocks top to bottom; tiles of 8 across; groups of 4 maps
  int parts, part_h, warps;       // a column of blocks is cut in parts; warps in a block
  int weight_words, plane_words;  // 16-byte words of weights; words of a band and beyond
  int raw_floats;                 // of a band as it comes
  std::size_t bytes;

  /// n / cols without a division.
  __device__ int row_of(int n) const {
    if (cols == 1) return n;  // 2^32 does not fit
    return static_cast<int>(std::uint64_t{inverse} * static_cast<unsigned>(n) >> 32);
  }
};

Layout layout(const ConvShape& s, bool split = true) {
  const int row_pairs = s.K / 2 + 1;  // of a block's window
  Layout l;
  l.cols = ceil_div(s.W, 2);
  l.inverse = static_cast<unsigned>(0xffffffffu / l.cols) + 1;  // exact for n * cols < 2^32
  l.tiles = ceil_div(s.W_out(), 16);
  l.groups = ceil_div(s.M, kMaps);
  l.weight_words = l.groups * row_pairs * (split ? 2 : 1) * 32;
  const std::size_t room = kSharedMost / (split ? 4 : 3) - 1024;  // for that many blocks
  l.bands = 1;
  while (l.bands < s.H_out() / 8 && std::int64_t{l.bands} * s.B < kManyBlocks) ++l.bands;
  for (;; ++l.bands) {
    l.blocks_h = ceil_div(ceil_div(s.H_out(), l.bands), 2);
    l.rows_out = 2 * l.blocks_h;
    l.rows_in = 2 * (l.blocks_h + row_pairs - 1);
    // A walk takes up to row_pairs steps too many, and a window reaches up to 10 words too far.
    l.plane_words = ceil_div((l.rows_in / 2 + row_pairs) * l.cols + 12, 2) * 2;
    l.raw_floats = ceil_div(l.rows_in * s.W, 4) * 4;
    l.bytes = std::size_t{16} * l.weight_words + std::size_t{split ? 16u : 8u} * l.plane_words +
              std::size_t{4} * l.raw_floats;
    if (l.bytes <= room || l.blocks_h <= 8) break;
  }
  l.bands = ceil_div(s.H_out(), l.rows_out);
  const int unit =
      l.bands == 1 ? s.H * s.W : std::gcd(s.H * s.W, std::gcd(l.rows_out, l.rows_in) * s.W);
  l.vector = unit % 4 == 0 ? 4 : unit % 2 == 0 ? 2 : 1;
  // A warp takes one (map group, tile, part) after another, and walks row_pairs - 1 steps more than
  // the part is high. The cut and the number of warps that cost all warps together the fewest
  // steps, idle ones counted; of equals the most warps.
  int best = 0;
  for (int parts = 1; parts <= 4; ++parts)
    for (int warps = 4; warps <= kMostWarps; ++warps) {
      const int part_h = ceil_div(l.blocks_h, parts);
      const int turns = ceil_div(l.groups * l.tiles * parts, warps);
      const int steps = warps * turns * (part_h + row_pairs - 1);
      if (best != 0 && steps > best) continue;
      best = steps, l.parts = parts, l.part_h = part_h, l.warps = warps;
    }
  return l;
}

/// One part of a tile of blocks, from top to bottom, for 4 maps. It writes `rows` output rows of
/// the band at y. kWide: a row of the output can be written 16 bytes at a time.
template <int kRowPairs, bool kWide, bool kSplit>
__device__ void walk(const uint4* weights, const Word<kSplit>* plane, const Layout& l,
                     const Dims& d, int task, int rows, float unscale, float* __restrict__ y) {
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  __syncwarp();
  const int column = l.parts == 1 ? task : task / l.parts,
            top = (task - column * l.parts) * l.part_h;
  const int group = column / l.tiles, tile = column - group * l.tiles;
  const int blocks_h = min(l.part_h, l.blocks_h - top);
  // A lane ends up with blocks 2t and 2t + 1 of the tile. For wide stores they lie side by side.
  // Else they are four apart, so that each store of 8 bytes a lane fills whole stretches of 32.
  const int block = kWide ? g : g % 2 * 4 + g / 2;
  const int m = group * kMaps + g / 2, w = tile * 16 + t * (kWide ? 4 : 2);
  // This lane writes rows 0, 2, .. below `ends`, counted from the part's top and its pixel's row.
  const unsigned ends = m < d.M && w < d.Wo ? max(min(rows - 2 * top, 2 * blocks_h) - g % 2, 0) : 0;
  // 32 bits of offset from a base that all lanes share; it wraps while h is negative.
  unsigned at = m * d.pixels + (2 * (top - kRowPairs + 1) + g % 2) * d.Wo + w;

  uint4 a_hi[kRowPairs], a_lo[kRowPairs];
#pragma unroll
  for (int s = 0; s < kRowPairs; ++s) {
    const uint4* from = weights + (group * kRowPairs + s) * (kSplit ? 64 : 32) + lane;
    a_hi[s] = from[0];
    if constexpr (kSplit) a_lo[s] = from[32];
  }
  // sum[j % kRowPairs] belongs to block j of the column; row pair i is window row i - j of block j.
  float sum[kRowPairs][4] = {};
  const Word<kSplit>* window = plane + (top * l.cols + tile * 8 + block + t);
  Word<kSplit> next = *window;
  unsigned h = 0u - 2 * (kRowPairs - 1);
  for (int i0 = 0; i0 < blocks_h + kRowPairs - 1; i0 += kRowPairs) {
#pragma unroll
    for (int u = 0; u < kRowPairs; ++u) {  // some steps too many, reading what is never written
      const Word<kSplit> b = next;
      window += l.cols;  // the next rows arrive while these are multiplied
      next = *window;
      const auto multiply = [&](const uint4(&a)[kRowPairs], unsigned upper, unsigned lower) {
#pragma unroll
        for (int s = kRowPairs - 1; s >= 0; --s)
          mma_16x8x16(sum[(u - s + kRowPairs) % kRowPairs], a[s], upper, lower);
      };
      if constexpr (kSplit) {
        multiply(a_lo, b.x, b.y);
        multiply(a_hi, b.z, b.w);
      }
      multiply(a_hi, b.x, b.y);

      float(&done)[4] = sum[(u + 1) % kRowPairs];
      if (h < ends) {
        float* row = y + at;
        const float v0 = unscale * done[0], v1 = unscale * done[2], v2 = unscale * done[1],
                    v3 = unscale * done[3];
        if (kWide) {
          *reinterpret_cast<float4*>(row) = make_float4(v0, v1, v2, v3);
        } else if (d.Wo % 2 == 0) {
          *reinterpret_cast<float2*>(row) = make_float2(v0, v1);
          if (w + 8 < d.Wo) *reinterpret_cast<float2*>(row + 8) = make_float2(v2, v3);
        } else {
          row[0] = v0;
          if (w + 1 < d.Wo) row[1] = v1;
          if (w + 8 < d.Wo) row[8] = v2;
          if (w + 9 < d.Wo) row[9] = v3;
        }
      }
      h += 2, at += 2 * d.Wo;
#pragma unroll
      for (int j = 0; j < 4; ++j) done[j] = 0.0f;
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
  return {b, h0, min(l.rows_in, d.H - h0)};
}

/// The block starts the copy of a band.
__device__ void start_copy(const float* __restrict__ x, float* raw, const Dims& d, const Layout& l,
                           const Band& band) {
  copy_floats_async(raw, x + band.b * d.x_image + band.h0 * d.W, band.rows * d.W, l.vector);
}

/// The block makes operands of the band in `raw`: of each two rows and two columns a word. Rows
/// below the image may hold an older band's; they become 0.
template <bool kSplit>
__device__ void prepare(const float* raw, Word<kSplit>* plane, const Dims& d, const Layout& l,
                        int rows, float scale) {
  const int count = l.rows_in / 2 * l.cols, threads = blockDim.x;
  const auto pair = [&](int row, int j) {
    const float2 v = pixel_pair(raw + row * d.W, j, d.W);
    const float here = row < rows ? scale : 0.0f;
    return make_float2(v.x * here, v.y * here);
  };
  const auto store = [&](int n, float2 v, float2 u) {
    if constexpr (kSplit) {
      const Split above = split(v.x, v.y), below = split(u.x, u.y);
      plane[n] = make_uint4(above.hi, below.hi, above.lo, below.lo);
    } else {
      plane[n] = make_uint2(pack(v.x, v.y), pack(u.x, u.y));
    }
  };
  for (int n = threadIdx.x; n < count; n += 2 * threads) {  // two at once: loads before stores
    const int other = n + threads < count ? n + threads : n;
    const int i0 = l.row_of(n), i1 = l.row_of(other);
    const float2 v0 = pair(2 * i0, n - i0 * l.cols), u0 = pair(2 * i0 + 1, n - i0 * l.cols);
    const float2 v1 = pair(2 * i1, other - i1 * l.cols), u1 = pair(2 * i1 + 1, other - i1 * l.cols);
    store(n, v0, u0);
    store(other, v1, u1);
  }
}

template <int kRowPairs, bool kWide, bool kSplit>
__global__ void __launch_bounds__(kMostWarps * 32, kSplit ? 2 : 3)
    conv(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, Dims d,
         Layout l) {
  extern __shared__ uint4 weights[];
  Word<kSplit>* plane = reinterpret_cast<Word<kSplit>*>(weights + l.weight_words);
  float* raw = reinterpret_cast<float*>(plane + l.plane_words);
  __shared__ unsigned largest_k, largest_x[2];
  const int tid = threadIdx.x, threads = blockDim.x, units = d.B * l.bands;
  int unit = blockIdx.x;
  Band band = band_of(d, l, unit);

  for (int i = tid; i < l.raw_floats; i += threads) raw[i] = 0.0f;
  for (int i = tid; i < l.plane_words; i += threads) plane[i] = Word<kSplit>{};
  if (tid == 0) largest_k = largest_x[0] = largest_x[1] = 0;
  __syncthreads();
  start_copy(x, raw, d, l, band);
  unsigned largest = 0;
  for (int i = tid; i < d.M * d.taps; i += threads) largest = max(largest, magnitude(k[i]));
  block_largest(largest, &largest_k);
  __syncthreads();
  const int exponent_k = scale_exponent(largest_k, kReachWeights);
  const float scale_k = power_of_two(exponent_k);

  // Row r of a product is map r % 8 / 2, pixel (r % 2, r / 8) of the block. Slot n of step s is row
  // 2s + n / 8, column n % 8 of the window.
  for (int i = tid; i < l.groups * kRowPairs * 32; i += threads) {
    const int lane = i % 32, s = i / 32 % kRowPairs, group = i / 32 / kRowPairs;
    const int g = lane / 4, m = group * kMaps + g / 2;
    unsigned hi[4], lo[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int p = 2 * s + j / 2 - g % 2, q0 = lane % 4 * 2 - j % 2;
      const auto weight = [&](int q) {
        return m < d.M && p >= 0 && p < d.K && q >= 0 && q < d.K
                   ? k[(m * d.K + p) * d.K + q] * scale_k
                   : 0.0f;
      };
      const Split both = split(weight(q0), weight(q0 + 1));
      hi[j] = both.hi, lo[j] = both.lo;
    }
    uint4* to = weights + (group * kRowPairs + s) * (kSplit ? 64 : 32) + lane;
    to[0] = make_uint4(hi[0], hi[1], hi[2], hi[3]);
    if constexpr (kSplit) to[32] = make_uint4(lo[0], lo[1], lo[2], lo[3]);
  }

  for (int turn = 0; unit < units; turn ^= 1) {
    copies_done();
    block_largest(largest_of_copied(raw, band.rows * d.W, l.vector), &largest_x[turn]);
    __syncthreads();
    const int exponent = scale_exponent_inputs(largest_x[turn], exponent_k);
    if (tid == 0) largest_x[turn ^ 1] = 0;
    prepare<kSplit>(raw, plane, d, l, band.rows, power_of_two(exponent));
    __syncthreads();

    const int rows_out = min(l.rows_out, d.Ho - band.h0);
    float* out = y + band.b * d.y_image + band.h0 * d.Wo;
    unit += gridDim.x;
    band = band_of(d, l, unit);
    if (unit < units) start_copy(x, raw, d, l, band);
    const float unscale = power_of_two(-(exponent + exponent_k));
    for (int task = tid / 32; task < l.groups * l.tiles * l.parts; task += l.warps)
      walk<kRowPairs, kWide, kSplit>(weights, plane, l, d, task, rows_out, unscale, out);
  }
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.C == 1 && s.S == 1 && s.K <= 7 && s.x_image() * 4 < INT32_MAX &&
         s.y_image() < INT32_MAX && s.k_size() < INT32_MAX &&
         std::int64_t{s.B} * s.H_out() < INT32_MAX && layout(s).bytes + 1024 <= kSharedMost;
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

template <int kRowPairs, bool kWide, bool kSplit>
void run(const float* x, const float* k, float* y, const ConvShape& s, cudaStream_t stream) {
  const Layout l = layout(s, kSplit);
  const auto kernel = conv<kRowPairs, kWide, kSplit>;
  allow_shared(kernel, l.bytes);
  const int resident = resident_blocks(kernel, l.warps * 32, l.bytes), units = s.B * l.bands;
  const int grid = units < resident ? units : resident;
  kernel<<<grid, l.warps * 32, l.bytes, stream>>>(x, k, y, dims(s), l);
  CUDA_CHECK(cudaGetLastError());
}

template <int kRowPairs, bool kSplit>
void run(const float* x, const float* k, float* y, const ConvShape& s, cudaStream_t stream) {
  if (s.W_out() % 4 == 0) return run<kRowPairs, true, kSplit>(x, k, y, s, stream);
  run<kRowPairs, false, kSplit>(x, k, y, s, stream);
}

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
            cudaStream_t stream) {
  switch (s.K / 2 + 1) {
    case 1:
      return run<1, true>(x, k, y, s, stream);
    case 2:
      return run<2, true>(x, k, y, s, stream);
    case 3:
      return run<3, true>(x, k, y, s, stream);
    case 4:
      return run<4, true>(x, k, y, s, stream);
  }
}

/// For 18: one product instead of three where K is 4 or more, at 11 bits.
void launch_half(const float* x, const float* k, float* y, const ConvShape& s,
                 const Workspace& space, cudaStream_t stream) {
  switch (s.K / 2 + 1) {
    case 3:
      return run<3, false>(x, k, y, s, stream);
    case 4:
      return run<4, false>(x, k, y, s, stream);
    default:
      return launch(x, k, y, s, space, stream);
  }
}

}  // namespace opgrade::kernels::rung16
