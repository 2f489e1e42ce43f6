// 8. Direct convolution from registers.
// Idea: no matrix. A thread owns 8 neighbouring pixels of 4 maps. For a kernel row it reads the 8 +
//   K - 1 inputs once and uses each up to K times for each map. K=7 has 224 multiply-adds for 11
//   loads of 16 bytes, 7 of which (four maps' weights) are broadcasts.
// Bound by: fp32 arithmetic at last. A strip of 8 wastes pixels at the right edge. Loads take
//   issue slots, and the patch must be waited for.
// Next: small images leave most of a block idle (9), and fp32 arithmetic alone needs more than the
//   bytes do (10 onwards).
#include "kernels/common.cuh"

namespace opgrade::kernels::rung08 {

constexpr int kMaps = 4, kStrip = 8, kMostThreads = 256;
constexpr std::size_t kPatchBytes = 64 * 1024;  // leaves room for three blocks on an SM

/// A block computes 4 maps of `rows` output rows of one image.
struct Tiling {
  int strips, rows, pitch;  // strips in a row; output rows; floats in a row of the patch
  std::size_t patch_floats, bytes;
};

Tiling tiling(const ConvShape& s) {
  Tiling t;
  t.strips = ceil_div(s.W_out(), kStrip);
  t.pitch = (t.strips + 1) * kStrip;  // a strip reads up to 16 floats from its start
  const auto patch_floats = [&](int rows) {
    return static_cast<std::size_t>(s.C) * (rows + s.K - 1) * t.pitch;
  };
  int most = kMostThreads / t.strips;
  while (most > 1 && patch_floats(most) * sizeof(float) > kPatchBytes) --most;
  if (most < 1) most = 1;
  t.rows = ceil_div(s.H_out(), ceil_div(s.H_out(), most));
  t.patch_floats = patch_floats(t.rows);
  t.bytes = (t.patch_floats + static_cast<std::size_t>(s.C) * s.K * s.K * kMaps) * sizeof(float);
  return t;
}

template <int K>
__global__ void __launch_bounds__(kMostThreads, 3)
    conv(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, Dims d,
         Tiling tile) {
  extern __shared__ float4 shared[];
  float* patch = reinterpret_cast<float*>(shared);
  float4* weights = shared + tile.patch_floats / 4;
  const int m0 = blockIdx.z * kMaps, h0 = blockIdx.y * tile.rows, in_rows = tile.rows + K - 1;

  for (int t = threadIdx.x; t < d.taps; t += blockDim.x) {
    const auto weight = [&](int m) { return m < d.M ? k[std::int64_t{m} * d.taps + t] : 0.0f; };
    weights[t] = make_float4(weight(m0), weight(m0 + 1), weight(m0 + 2), weight(m0 + 3));
  }
  const float* image = x + blockIdx.x * d.x_image;
  for (int row = threadIdx.x / 32; row < d.C * in_rows; row += blockDim.x / 32) {
    const int h = h0 + row % in_rows;
    const float* from = image + (row / in_rows * d.H + h) * d.W;
    for (int w = threadIdx.x % 32; w < tile.pitch; w += 32)
      patch[row * tile.pitch + w] = h < d.H && w < d.W ? from[w] : 0.0f;
  }
  __syncthreads();

  const int row = threadIdx.x / tile.strips, w0 = threadIdx.x % tile.strips * kStrip;
  if (row >= tile.rows || h0 + row >= d.Ho) return;
  float sum[kMaps][kStrip] = {};
  for (int c = 0; c < d.C; ++c) {
    for (int p = 0; p < K; ++p) {
      const float4* from =
          reinterpret_cast<const float4*>(patch + (c * in_rows + row + p) * tile.pitch + w0);
      float in[16];
#pragma unroll
      for (int i = 0; i < (kStrip + K + 2) / 4; ++i) {
        const float4 v = from[i];
        in[4 * i] = v.x, in[4 * i + 1] = v.y, in[4 * i + 2] = v.z, in[4 * i + 3] = v.w;
      }
#pragma unroll
      for (int q = 0; q < K; ++q) {
        const float4 w = weights[(c * K + p) * K + q];
#pragma unroll
        for (int j = 0; j < kStrip; ++j) {
          sum[0][j] += w.x * in[q + j];
          sum[1][j] += w.y * in[q + j];
          sum[2][j] += w.z * in[q + j];
          sum[3][j] += w.w * in[q + j];
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < kMaps; ++i) {
    if (m0 + i >= d.M) break;
    float* out =
        y + blockIdx.x * d.y_image + std::int64_t{m0 + i} * d.pixels + (h0 + row) * d.Wo + w0;
    if (d.Wo % 4 == 0 && w0 + kStrip <= d.Wo) {
      reinterpret_cast<float4*>(out)[0] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
      reinterpret_cast<float4*>(out)[1] = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
    } else {
#pragma unroll
      for (int j = 0; j < kStrip; ++j)
        if (w0 + j < d.Wo) out[j] = sum[i][j];
    }
  }
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.S == 1 && (s.K == 3 || s.K == 5 || s.K == 7) && s.W_out() <= 2048 &&
         s.x_image() < INT32_MAX && s.y_image() < INT32_MAX && tiling(s).bytes <= kSharedMost &&
         ceil_div(s.H_out(), tiling(s).rows) <= kGridYMost && s.M <= kMaps * kGridYMost;
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

template <int K>
void run(const float* x, const float* k, float* y, const ConvShape& s, cudaStream_t stream) {
  const Dims d = dims(s);
  const Tiling t = tiling(s);
  allow_shared(conv<K>, t.bytes);
  const dim3 grid(d.B, ceil_div(d.Ho, t.rows), ceil_div(d.M, kMaps));
  conv<K><<<grid, ceil_div(t.strips * t.rows, 32) * 32, t.bytes, stream>>>(x, k, y, d, t);
  CUDA_CHECK(cudaGetLastError());
}

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
            cudaStream_t stream) {
  if (s.K == 3) run<3>(x, k, y, s, stream);
  if (s.K == 5) run<5>(x, k, y, s, stream);
  if (s.K == 7) run<7>(x, k, y, s, stream);
}

}  // namespace opgrade::kernels::rung08
