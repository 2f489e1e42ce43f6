// 9. Several images in a block.
// Idea: an 18x18 map has 54 strips of 8 pixels, a quarter of a block of 8. Here a block takes as
//   many whole images as fill its threads, each thread 4 pixels of 4 maps. The weights are loaded
//   once for all of them.
// Bound by: fp32 arithmetic, and the loads' part of the issue slots. A strip of 4 has 112
//   multiply-adds for 10 loads where 8 had 224 for 11. So it wins on small maps only.
// Next: cheaper arithmetic.
#include "kernels/common.cuh"

namespace opgrade::kernels::rung09 {

constexpr int kMaps = 4, kStrip = 4, kThreads = 256;
constexpr std::size_t kPatchBytes = 64 * 1024;

struct Tiling {
  int images, strips, pitch;  // images in a block; strips in a row; floats in a row of the patch
  std::size_t patch_floats, bytes;
};

Tiling tiling(const ConvShape& s) {
  Tiling t;
  t.strips = ceil_div(s.W_out(), kStrip);
  t.pitch = (t.strips + 2) * kStrip;  // a strip reads up to 12 floats from its start
  const std::size_t image = static_cast<std::size_t>(s.C) * s.H * t.pitch;
  t.images = 1;
  while (t.images < s.B && t.images * t.strips * s.H_out() < 2 * kThreads &&
         (t.images + 1) * image * sizeof(float) <= kPatchBytes)
    ++t.images;
  t.patch_floats = t.images * image;
  t.bytes = (t.patch_floats + static_cast<std::size_t>(s.C) * s.K * s.K * kMaps) * sizeof(float);
  return t;
}

template <int K>
__global__ void __launch_bounds__(kThreads, 3)
    conv(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, Dims d,
         Tiling tile) {
  extern __shared__ float4 shared[];
  float* patch = reinterpret_cast<float*>(shared);
  float4* weights = shared + tile.patch_floats / 4;
  const int b0 = blockIdx.x * tile.images, images = min(tile.images, d.B - b0);
  const int m0 = blockIdx.y * kMaps;

  for (int t = threadIdx.x; t < d.taps; t += kThreads) {
    const auto weight = [&](int m) { return m < d.M ? k[std::int64_t{m} * d.taps + t] : 0.0f; };
    weights[t] = make_float4(weight(m0), weight(m0 + 1), weight(m0 + 2), weight(m0 + 3));
  }
  const float* first = x + b0 * d.x_image;  // images and their rows follow each other without gaps
  for (int row = threadIdx.x / 32; row < images * d.C * d.H; row += kThreads / 32)
    for (int w = threadIdx.x % 32; w < tile.pitch; w += 32)
      patch[row * tile.pitch + w] = w < d.W ? first[row * d.W + w] : 0.0f;
  __syncthreads();

  for (int item = threadIdx.x; item < images * d.Ho * tile.strips; item += kThreads) {
    const int w0 = item % tile.strips * kStrip, h = item / tile.strips % d.Ho;
    const int b = item / tile.strips / d.Ho;
    float sum[kMaps][kStrip] = {};
    for (int c = 0; c < d.C; ++c) {
      for (int p = 0; p < K; ++p) {
        const float4* from = reinterpret_cast<const float4*>(
            patch + ((b * d.C + c) * d.H + h + p) * tile.pitch + w0);
        float in[12];
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
      float* out = y + (b0 + b) * d.y_image + std::int64_t{m0 + i} * d.pixels + h * d.Wo + w0;
#pragma unroll
      for (int j = 0; j < kStrip; ++j)
        if (w0 + j < d.Wo) out[j] = sum[i][j];
    }
  }
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.S == 1 && (s.K == 3 || s.K == 5 || s.K == 7) && s.x_image() < INT32_MAX &&
         tiling(s).bytes <= kSharedMost && s.M <= kMaps * kGridYMost;
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

template <int K>
void run(const float* x, const float* k, float* y, const ConvShape& s, cudaStream_t stream) {
  const Dims d = dims(s);
  const Tiling t = tiling(s);
  allow_shared(conv<K>, t.bytes);
  const dim3 grid(ceil_div(d.B, t.images), ceil_div(d.M, kMaps));
  conv<K><<<grid, kThreads, t.bytes, stream>>>(x, k, y, d, t);
  CUDA_CHECK(cudaGetLastError());
}

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
            cudaStream_t stream) {
  if (s.K == 3) run<3>(x, k, y, s, stream);
  if (s.K == 5) run<5>(x, k, y, s, stream);
  if (s.K == 7) run<7>(x, k, y, s, stream);
}

}  // namespace opgrade::kernels::rung09
