// 19. Hopper's tensor cores on the image in place.
// Idea: wgmma reads its operand from shared memory in chunks of 16 bytes, from addresses that a
//   descriptor gives. A chunk is 8 pixels of one channel or 2 pixels of four. The descriptor's
//   stretches may overlap, so windows need no gather: column n + 1 begins one chunk after column n,
//   and the next 8 elements of column n are that chunk too. The 64 rows of a product are maps x
//   blocks of 2 x 8 or 2 x 2 pixels, Toeplitz weights as in 16, which stay in registers. Four warps
//   convert image after image, two groups of four warps multiply in turn. Whole images come and
//   stretches of output rows go by bulk copies, while the warps work on. fp32 accuracy takes a
//   second product only: of bytes, at twice fp16's rate, with both rests side by side.
// Bound by: device memory in layer 1 of the 86x86 network (busy 81 % of an H100's time) and at 11
//   bits in layer 2 (82 %). At fp32 accuracy nothing in layer 2 is full: the tensor cores are busy
//   62 % of the time, L2's halves exchange for 70 %, memory is for 69 %.
// Next: nothing here. In layer 2 the tensor cores wait while bytes' sums become fp32 sums, 71 of
//   360 columns are beyond a row's end, and 15 of 64 weights in a row are zeros.
// Submission needs: 15_mma_split.cu
#include "kernels/mma.cuh"

namespace opgrade::kernels {

#define OPGRADE_DECLARE_RUNG(name)                                                    \
  namespace name {                                                                    \
  bool accepts(const ConvShape&);                                                     \
  void launch(const float*, const float*, float*, const ConvShape&, const Workspace&, \
              cudaStream_t);                                                          \
  }
OPGRADE_DECLARE_RUNG(rung15)
#undef OPGRADE_DECLARE_RUNG

namespace rung19 {

constexpr int kColumns = 120;      // of a product: blocks of outputs
constexpr int kByteColumns = 128;  // of a product of bytes, which comes with 112 or 128
constexpr int kGroup = 128;   // threads that load, and as many in each of two groups that multiply
constexpr int kChunk = 16;    // bytes
constexpr int kOther = 2048;  // bytes, at most, of shared memory outside the layout

/// kC: channels side by side in shared memory, 1 or 4.
template <int kC>
struct Tile {
  static constexpr int wide = 8 / kC, maps = 4 * kC;  // pixels across a block; maps in 64 rows
  static constexpr int halves = kC == 1 ? 1 : 2;      // products for a row of a block's window
  static constexpr int steps = 8 * halves;            // a window has 8 rows
  static constexpr int units = 32 / kC;               // pixel pairs that a thread loads, at most
};

/// An image lies in shared memory in chunks, first its rows 0, 2, .., then 1, 3, .., for blocks are
/// two pixels high. First come two images' bytes, then their heads: products read on beyond a
/// part's end, where they must not find bytes that are no number as fp16.
struct Layout {
  int pairs, pitch;           // pixel pairs in a row; chunks in a row
  unsigned inverse;           // of pairs, times 2^32
  int half, part, heads;      // chunks: of the even rows, of an image's bytes, to its heads
  int rows, tiles;            // output rows of a tile, even; tiles in an image
  bool whole;                 // images of outputs are staged, not tiles
  int map_floats;             // of what is staged, from map to map
  int images, image;          // images on their way; chunks from one to the next
  int image_chunks;           // of both
  int weight_chunks, planes;  // of the weights' bytes, of two images
  float reach;                // of the weights' bytes
  std::size_t bytes;
};

template <int kC>
Layout layout(const ConvShape& s, bool split) {
  using T = Tile<kC>;
  Layout l{};
  const int blocks_w = ceil_div(s.W_out(), T::wide), blocks_h = ceil_div(s.H_out(), 2);
  l.pairs = s.W / 2;
  l.inverse = static_cast<unsigned>(0xffffffffu / (l.pairs > 0 ? l.pairs : 1)) + 1;
  l.pitch = ceil_div(s.W, T::wide);
  l.half = ceil_div(s.H, 2) * l.pitch;
  l.part = 2 * l.half;
  l.heads = split ? 2 * l.part : 0;
  if (blocks_w > kColumns) return l;
  l.tiles = ceil_div(blocks_h, (kColumns - blocks_w) / l.pitch + 1);
  l.rows = 2 * ceil_div(blocks_h, l.tiles);
  l.map_floats = ceil_div(l.rows * s.W_out(), 32) * 32 + 16;  // keeps maps off the same banks
  l.weight_chunks = split ? T::steps * 128 : 0;
  // Columns beyond a row's end reach so far.
  l.planes = l.heads + 2 * l.part + 3 * l.pitch + kByteColumns + 8;
  // An output's bytes are 2 * C * K * K products of up to 127 times this, under kZero's 2^22.
  const int reach = (1 << 21) / (127 * s.C * s.K * s.K);
  l.reach = static_cast<float>(reach < 127 ? reach : 127);
  const int one = ceil_div(s.C * s.H * s.W, 4);
  l.image = ceil_div(one, 8) * 8;
  const int build = T::steps * 2048 + T::maps * s.C * s.K * s.K * 4;
  const auto bytes = [&](int images, int staged) {
    // Not a multiple of 8 chunks: where staged tiles begin decides how fast they leave. In layer 1
    // of the 86x86 network 16 bytes further take 0.512 ms for the copies alone, instead of 0.464.
    l.image_chunks = (images - 1) * l.image + one;
    return std::size_t{kChunk} * (l.image_chunks + l.weight_chunks + l.planes) +
           (staged > build ? staged : build);
  };
  const int pixels = s.H_out() * s.W_out();
  l.whole = kC == 4 && !split && bytes(1, 2 * T::maps * pixels * 4) + kOther <= kSharedMost;
  if (l.whole) l.map_floats = pixels;
  const int staged = (l.whole ? 2 : 4) * T::maps * l.map_floats * 4;
  l.images = !split && bytes(2, staged) + kOther <= kSharedMost ? 2 : 1;
  l.bytes = bytes(l.images, staged);
  return l;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL) && !defined(OPGRADE_NO_PTX)
#define OPGRADE_HOPPER
#define OPGRADE_4(type, i) type(d[i]), type(d[i + 1]), type(d[i + 2]), type(d[i + 3])
#define OPGRADE_20(type, i)                                                                    \
  OPGRADE_4(type, i), OPGRADE_4(type, i + 4), OPGRADE_4(type, i + 8), OPGRADE_4(type, i + 12), \
      OPGRADE_4(type, i + 16)
#define OPGRADE_60(type) OPGRADE_20(type, 0), OPGRADE_20(type, 20), OPGRADE_20(type, 40)
#define OPGRADE_SUMS                                                                            \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24," \
  "%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,"    \
  "%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59"

/// d = a * b or d += a * b, 64x120: the group's threads start it. A thread's sums lie as in
/// mma_16x8x16(), its warp's 16 rows of 64, d[4j ..] being columns 8j to 8j + 7.
using Sums = float[kColumns / 2];
__device__ inline void wgmma(Sums& d, const uint4& a, std::uint64_t b, bool add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %65, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n120k16.f32.f16.f16 " OPGRADE_SUMS
      "}, {%60,%61,%62,%63}, %64, p, 1, 1, 0;\n}"
      : OPGRADE_60("+f")
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "l"(b), "r"(int{add}));
}
__device__ inline void wgmma_done(Sums& d) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" : OPGRADE_60("+f")::"memory");
}

/// d += a * b, 64x128, of bytes.
using ByteSums = int[kByteColumns / 2];
__device__ inline void wgmma(ByteSums& d, std::uint64_t a, std::uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 " OPGRADE_SUMS
               ",%60,%61,%62,%63}, %64, %65, 1;"
               : OPGRADE_60("+r"), OPGRADE_4("+r", 60)
               : "l"(a), "l"(b));
}
__device__ inline void wgmma_done(ByteSums& d) {
  asm volatile("wgmma.wait_group.sync.aligned 0;"
               : OPGRADE_60("+r"), OPGRADE_4("+r", 60)::"memory");
}

/// The bits of 1.5 * 2^23. A float added to it is an integer in the low bits; an integer under 2^22
/// added to these bits is one added to that float.
constexpr int kZero = 0x4b400000;

/// Two values as fp16 heads, and as bytes: their rests and themselves, scaled and rounded. Weights'
/// bytes come the other way round, so that one product of bytes adds rest * weight and
/// value * weight's rest: 8 bits of what is 2^-11 of a product.
struct Parts {
  unsigned heads, bytes;
};
__device__ inline Parts parts(float first, float second, float scale_rest, float scale) {
  const __half2 heads = __floats2half2_rn(first, second);
  const float2 back = __half22float2(heads);
  const auto byte = [](float v, float scale) {
    return __float_as_uint(fmaf(v, scale, __int_as_float(kZero)));
  };
  const unsigned rests =
      __byte_perm(byte(first - back.x, scale_rest), byte(second - back.y, scale_rest), 0x0040);
  const unsigned values = __byte_perm(byte(first, scale), byte(second, scale), 0x0040);
  return {*reinterpret_cast<const unsigned*>(&heads), __byte_perm(rests, values, 0x5410)};
}
/// Inputs are up to 2^15, their rests up to 2^3; weights up to 2, their rests up to 2^-11.
__device__ inline Parts input_parts(float first, float second) {
  return parts(first, second, 127.0f / 8, 127.0f / 32768);
}
__device__ inline Parts weight_parts(float first, float second, float reach) {
  const Parts p = parts(first, second, reach * 2048, reach / 2);
  return {p.heads, __byte_perm(p.bytes, 0, 0x1032)};
}
__device__ inline float byte_unit(float reach) { return 16 / (127 * reach); }

/// Where wgmma finds an operand: chunk `at`, from there in chunks to the next 8 elements of a row
/// (or column) and to the next 8 rows.
__device__ inline std::uint64_t descriptor(int at, int next_elements, int next_rows) {
  return static_cast<unsigned>(at) | static_cast<std::uint64_t>(next_elements) << 16 |
         static_cast<std::uint64_t>(next_rows) << 32;
}

__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// Some threads of the block meet at barrier `id`, or announce that they have been there.
__device__ inline void meet(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void pass(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
/// What this thread wrote to shared memory may be read by wgmma and the copy engine.
__device__ inline void publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Barriers; from kFull on one for each group that multiplies.
enum Barrier { kLoaders = 1, kWeights = 2, kFull = 4, kEmpty = 6, kOwn = 8, kTurn = 10 };
#endif

template <int kC, bool kSplit>
__global__ void __launch_bounds__(3 * kGroup, 1)
    conv(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, Dims d,
         Layout l) {
#ifdef OPGRADE_HOPPER
  using T = Tile<kC>;
  extern __shared__ __align__(128) uint4 byte_weights[];
  float* image = reinterpret_cast<float*>(byte_weights + l.weight_chunks);
  uint4* planes = byte_weights + l.weight_chunks + l.image_chunks;
  float* staged = reinterpret_cast<float*>(planes + l.planes);
  __shared__ unsigned largest_k, largest_x[2][4];
  __shared__ float unscale[2];
  __shared__ std::uint64_t arrived[2];
  __shared__ int2 column_at[kColumns / 2];
  const int tid = threadIdx.x, threads = blockDim.x, lane = tid % 32, warp = tid / 32 % 4;
  const int role = __shfl_sync(~0u, tid / kGroup, 0);  // the same for a warp, and known to be
  const int m0 = blockIdx.y * T::maps, maps = min(T::maps, d.M - m0);

  // The weights' heads become an operand in shared memory, for now where outputs will be staged.
  unsigned* head_weights = reinterpret_cast<unsigned*>(staged);
  float* raw = staged + T::steps * 512;
  const auto load = [&](int b, int which) {
    float* to = image + which * l.image * 4;
    const unsigned bytes = static_cast<unsigned>(d.x_image) * 4,
                   barrier = shared_address(&arrived[which]);
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%3], %2;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(x + b * d.x_image), "r"(bytes), "r"(barrier)
        : "memory");
  };
  if (tid == 0) {
    largest_k = 0;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived[0])));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived[1])));
    publish();
    load(blockIdx.x, 0);
    if (l.images == 2 && blockIdx.x + gridDim.x < d.B) load(blockIdx.x + gridDim.x, 1);
  }
  // All of a layer's weights are on their way at once, while the planes are cleared.
  constexpr int kAtOnce = 10;
  float weights[kAtOnce];
  const auto fetch = [&](int from) {
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      const int i = from + u * threads;
      weights[u] = i < d.M * d.taps ? k[i] : 0.0f;
    }
  };
  fetch(tid);
  for (int i = tid; i < l.planes; i += threads) planes[i] = uint4{};
  for (int n = tid; n < kColumns; n += threads) {
    const int row = n / l.pitch * 2, w = n % l.pitch * T::wide;
    reinterpret_cast<int*>(column_at)[n] =
        row < l.rows && w < d.Wo ? (row * d.Wo + w) * 16 + min(T::wide, d.Wo - w) : 0;
  }
  unsigned largest = 0;
  for (int from = tid; from < d.M * d.taps; from += kAtOnce * threads) {
    if (from != tid) fetch(from);
#pragma unroll
    for (int u = 0; u < kAtOnce; ++u) {
      largest = max(largest, magnitude(weights[u]));
      const int at = from + u * threads - m0 * d.taps;
      if (at >= 0 && at < maps * d.taps) raw[at] = weights[u];
    }
  }
  __syncthreads();
  block_largest(largest, &largest_k);
  __syncthreads();
  const int exponent_k = scale_exponent(largest_k, kReachWeights);

  if (role == 0) {
    const int count = d.H * l.pairs;
    for (int b = blockIdx.x, turn = 0; b < d.B; b += gridDim.x, ++turn) {
      const int w = turn % 2;
      const int which = l.images == 2 ? w : 0, parity = l.images == 2 ? turn / 2 % 2 : w;
      asm volatile(
          "{\n.reg .pred p;\nWAIT_%=:\n"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra WAIT_%=;\n}" ::"r"(
              shared_address(&arrived[which])),
          "r"(parity)
          : "memory");
      float2 v[T::units][kC];
#pragma unroll
      for (int u = 0; u < T::units; ++u)
#pragma unroll
        for (int c = 0; c < kC; ++c) {
          const int i = tid + u * kGroup;
          v[u][c] =
              i < count && c < d.C
                  ? reinterpret_cast<const float2*>(image + which * l.image * 4 + c * d.H * d.W)[i]
                  : make_float2(0.0f, 0.0f);
        }
      unsigned largest = 0;
#pragma unroll
      for (int u = 0; u < T::units; ++u)
#pragma unroll
        for (int c = 0; c < kC; ++c)
          largest = max(largest, max(magnitude(v[u][c].x), magnitude(v[u][c].y)));
      largest = __reduce_max_sync(~0u, largest);
      if (lane == 0) largest_x[w][warp] = largest;
      meet(kLoaders, kGroup);
      if (tid == 0 && b + l.images * gridDim.x < d.B) load(b + l.images * gridDim.x, which);
      largest = max(max(largest_x[w][0], largest_x[w][1]), max(largest_x[w][2], largest_x[w][3]));
      const int exponent = scale_exponent_inputs(largest, exponent_k);
      const float scale = power_of_two(exponent);
      if (turn >= 2) meet(kEmpty + w, 2 * kGroup);
      if (tid == 0) unscale[w] = power_of_two(-(exponent + exponent_k));
      uint4* to = planes + l.heads + w * l.part;
#pragma unroll
      for (int u = 0; u < T::units; ++u) {
        const int i = tid + u * kGroup;
        if (i >= count) break;
        const int h = l.pairs == 1 ? i : __umulhi(i, l.inverse), j = i - h * l.pairs;
        uint4* row = to + (h % 2 * l.half + h / 2 * l.pitch);
        if constexpr (kC == 1) {
          const Parts both = input_parts(v[u][0].x * scale, v[u][0].y * scale);
          unsigned* word = reinterpret_cast<unsigned*>(row) + j;
          word[0] = both.heads;
          if constexpr (kSplit) word[-l.heads * 4] = both.bytes;
        } else {
          const Parts s[4] = {input_parts(v[u][0].x * scale, v[u][1].x * scale),
                              input_parts(v[u][2].x * scale, v[u][3].x * scale),
                              input_parts(v[u][0].y * scale, v[u][1].y * scale),
                              input_parts(v[u][2].y * scale, v[u][3].y * scale)};
          row[j] = make_uint4(s[0].heads, s[1].heads, s[2].heads, s[3].heads);
          if constexpr (kSplit)
            row[j - l.heads] = make_uint4(s[0].bytes, s[1].bytes, s[2].bytes, s[3].bytes);
        }
      }
      publish();
      pass(kFull + w, 2 * kGroup);
    }
  } else {
    const int w = role - 1, g = lane / 4, t = lane % 4;
    const float scale_k = power_of_two(exponent_k);
    // Element e of row r at a step: chunks are 8 elements of a row, then come 8 rows, then elements
    // 8 to 15, then the next 8 rows.
    for (int at = tid - kGroup; at < 512; at += 2 * kGroup) {
      const int r = at / 64 * 8 + at / 4 % 8, e = at / 32 % 2 * 8 + at % 4 * 2;
      const int map = kC == 1 ? r / 16 : r / 16 * 4 + r % 8 / 2;
      const int py = kC == 1 ? r / 8 % 2 : r % 2, px = kC == 1 ? r % 8 : r / 8 % 2;
#pragma unroll
      for (int step = 0; step < T::steps; ++step) {
        const int p = step / T::halves - py;
        const auto weight = [&](int e) {
          const int q = step % T::halves * (16 / kC) + e / kC - px, c = e % kC;
          return map < maps && c < d.C && p >= 0 && p < d.K && q >= 0 && q < d.K
                     ? raw[((map * d.C + c) * d.K + p) * d.K + q] * scale_k
                     : 0.0f;
        };
        const Parts both = weight_parts(weight(e), weight(e + 1), l.reach);
        head_weights[step * 512 + at] = both.heads;
        if constexpr (kSplit)
          reinterpret_cast<unsigned*>(byte_weights)[step * 512 + at] = both.bytes;
      }
    }
    publish();
    meet(kWeights, 2 * kGroup);
    uint4 a[T::steps];
#pragma unroll
    for (int s = 0; s < T::steps; ++s) {
      const unsigned* at = head_weights + s * 512 + warp * 128 + lane;
      a[s] = make_uint4(at[0], at[64], at[32], at[96]);
    }
    meet(kWeights, 2 * kGroup);  // before anyone's outputs are staged there

    const int bytes_at = shared_address(byte_weights) / kChunk;
    const int plane_at = shared_address(planes) / kChunk + l.heads + w * l.part;
    const int piece = T::maps * l.map_floats;
    const bool whole = !kSplit && l.whole;
    int buffer = 0;
    if (w == 1) pass(kTurn, 2 * kGroup);
    for (int first = blockIdx.x; first < d.B; first += 2 * gridDim.x) {
      const int b = first + w * gridDim.x;
      if (b < d.B) meet(kFull + w, 2 * kGroup);
      const float factor = unscale[w];
      for (int tile = 0; tile < l.tiles; ++tile) {
        meet(kTurn + w, 2 * kGroup);  // the groups' products follow each other
        if (b >= d.B) {
          pass(kTurn + 1 - w, 2 * kGroup);
          continue;
        }
        const int from = plane_at + tile * (l.rows / 2) * l.pitch;
        const auto window = [&](int s) {
          const int p = s / T::halves;
          return descriptor(from + p % 2 * l.half + p / 2 * l.pitch + s % T::halves * 2, 1, 8);
        };
        Sums sum;
        if constexpr (kSplit) {
          ByteSums bytes;
#pragma unroll
          for (int i = 0; i < kByteColumns / 2; ++i) bytes[i] = kZero;
          asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
          for (int s = 0; s < T::steps; ++s)
            wgmma(bytes, descriptor(bytes_at + s * 128, 8, 16), window(s) - l.heads);
          asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
          wgmma_done(bytes);
          const float unit = byte_unit(l.reach), zero = __int_as_float(kZero);
#pragma unroll
          for (int i = 0; i < kColumns / 2; ++i)  // in the same registers
            sum[i] = fmaf(__int_as_float(bytes[i]), unit, -zero * unit);
        }
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int s = 0; s < T::steps; ++s) wgmma(sum, a[s], window(s), kSplit || s > 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        pass(kTurn + 1 - w, 2 * kGroup);
        wgmma_done(sum);
        if (tile + 1 == l.tiles && first + (w + 2) * gridDim.x < d.B) pass(kEmpty + w, 2 * kGroup);

        // A group stages an image, or one tile while the last one is copied.
        const int h0 = tile * l.rows;
        float* to = staged + (whole ? w * piece + h0 * d.Wo : (w * 2 + buffer) * piece);
        buffer ^= 1;
        if (warp == 0) {
          if (!whole)
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
          else if (tile == 0)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        meet(kOwn + w, kGroup);
#pragma unroll
        for (int j = 0; j < kColumns / 8; ++j) {
          const int2 both = column_at[4 * j + t];
          float v[4];
#pragma unroll
          for (int i = 0; i < 4; ++i) v[i] = factor * sum[4 * j + i];
          if constexpr (kC == 1) {
            float* map = to + warp * l.map_floats + g;
            const auto put = [&](int column, float above, float below) {
              if (g < column % 16) map[column / 16] = above, map[column / 16 + d.Wo] = below;
            };
            const bool swap = t >= 2;  // the lanes of a store then meet different banks
            put(swap ? both.y : both.x, swap ? v[1] : v[0], swap ? v[3] : v[2]);
            put(swap ? both.x : both.y, swap ? v[0] : v[1], swap ? v[2] : v[3]);
          } else {
            float* map = to + (warp * 4 + g / 2) * l.map_floats + g % 2 * d.Wo;
            const int end = kSplit ? INT32_MAX : (d.Ho - h0 - g % 2) * d.Wo;  // of the image
            const auto put = [&](int column, float left, float right) {
              if (column != 0 && column / 16 < end)
                *reinterpret_cast<float2*>(map + column / 16) = make_float2(left, right);
            };
            put(both.x, v[0], v[2]);
            put(both.y, v[1], v[3]);
          }
        }
        if (whole && tile + 1 < l.tiles) continue;
        publish();
        meet(kOwn + w, kGroup);
        if (warp == 0) {
          if (whole && lane == 0)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                             y + b * d.y_image + std::int64_t{m0} * d.pixels),
                         "r"(shared_address(staged + w * piece)), "r"(maps * d.pixels * 4)
                         : "memory");
          if (!whole && lane < maps)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                             y + b * d.y_image + std::int64_t{m0 + lane} * d.pixels + h0 * d.Wo),
                         "r"(shared_address(to + lane * l.map_floats)),
                         "r"(min(l.rows, d.Ho - h0) * d.Wo * 4)
                         : "memory");
          asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
      }
    }
    if (w == 0) meet(kTurn, 2 * kGroup);
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
#endif
}

template <int kC, bool kSplit>
void run(const float* x, const float* k, float* y, const ConvShape& s, cudaStream_t stream) {
  const auto kernel = conv<kC, kSplit>;
  const Layout l = layout<kC>(s, kSplit);
  allow_shared(kernel, l.bytes);
  const int groups = ceil_div(s.M, Tile<kC>::maps);
  const int resident = ceil_div(resident_blocks(kernel, 3 * kGroup, l.bytes), groups);
  const dim3 grid(s.B < resident ? s.B : resident, groups);
  kernel<<<grid, 3 * kGroup, l.bytes, stream>>>(x, k, y, dims(s), l);
  CUDA_CHECK(cudaGetLastError());
}

/// Compiled for other devices, the kernel is empty and uses no shared memory.
bool available() {
  cudaFuncAttributes attributes;
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, conv<1, true>));
  return attributes.sharedSizeBytes > 0;
}

template <int kC>
bool fits(const ConvShape& s) {
  const Layout l = layout<kC>(s, true);
  return s.C <= kC && s.H * l.pairs <= Tile<kC>::units * kGroup && l.tiles > 0 &&
         l.bytes + kOther <= kSharedMost;
}

bool computes(const ConvShape& s) {
  return s.valid() && s.S == 1 && s.K <= 7 && s.C <= 4 && s.W % 2 == 0 && s.W_out() % 2 == 0 &&
         s.H_out() * s.W_out() % 4 == 0 && s.x_image() % 4 == 0 && rung15::accepts(s) &&
         (s.C == 1 ? fits<1>(s) : fits<4>(s)) && s.B < INT32_MAX / 2 - 65536 &&
         ceil_div(s.M, 4) <= kGridYMost;
}

/// Bytes are too coarse for fp32 accuracy of a shorter sum.
constexpr int kFewestTaps = 36;

bool accepts(const ConvShape& s) { return computes(s) && s.C * s.K * s.K >= kFewestTaps; }

/// Where no other rung is as fast at 11 bits: on Hopper, if maps fill the products and every
/// processor gets several images.
bool best(const ConvShape& s) {
  const int maps = s.C == 1 ? Tile<1>::maps : Tile<4>::maps;
  return s.B >= (s.C == 1 ? 2000 : 1000) && s.M % maps == 0 && s.M <= 3 * maps && computes(s) &&
         available();
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace& space,
            cudaStream_t stream) {
  if (!available()) return rung15::launch(x, k, y, s, space, stream);
  s.C == 1 ? run<1, true>(x, k, y, s, stream) : run<4, true>(x, k, y, s, stream);
}

/// For 18, where best(): one product instead of three, at 11 bits.
void launch_half(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
                 cudaStream_t stream) {
  s.C == 1 ? run<1, false>(x, k, y, s, stream) : run<4, false>(x, k, y, s, stream);
}

}  // namespace rung19
}  // namespace opgrade::kernels
