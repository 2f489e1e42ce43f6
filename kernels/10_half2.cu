// 10. FP16 with half2.
// Idea: 8 with inputs and weights rounded to fp16, two maps in one half2: an HFMA2 does the work of
//   two fp32 multiply-adds. Sums of two kernel rows stay in fp16, then go to an fp32 total. So the
//   rounding of fp16 sums does not pile up over C*K*K taps.
// Range: fp16 ends at 65504; inputs, weights and sums over two kernel rows must stay below it.
// Bound by: issue slots: 112 HFMA2 a kernel row instead of 224 FFMA, plus the moves to fp32.
// Next: the tensor cores do 2048 multiply-adds where this does 64.
#include <cuda_fp16.h>

#include "kernels/common.cuh"

namespace opgrade::kernels::rung10 {

constexpr int kMaps = 4, kStrip = 8, kMostThreads = 256;
constexpr std::size_t kPatchBytes = 64 * 1024;

struct Tiling {
  int strips, rows, pitch;  // as in 8; pitch in halves
  std::size_t patch_halves, bytes;
};

Tiling tiling(const ConvShape& s) {
  Tiling t;
  t.strips = ceil_div(s.W_out(), kStrip);
  t.pitch = (t.strips + 1) * kStrip;
  const auto patch_halves = [&](int rows) {
    return static_cast<std::size_t>(s.C) * (rows + s.K - 1) * t.pitch;
  };
  int most = kMostThreads / t.strips;
  while (most > 1 && patch_halves(most) * sizeof(__half) > kPatchBytes) --most;
  if (most < 1) most = 1;
  t.rows = ceil_div(s.H_out(), ceil_div(s.H_out(), most));
  t.patch_halves = patch_halves(t.rows);
  t.bytes = (t.patch_halves + static_cast<std::size_t>(s.C) * s.K * s.K * kMaps) * sizeof(__half);
  return t;
}

template <int K>
__global__ void __launch_bounds__(kMostThreads, 3)
    conv(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, Dims d,
         Tiling tile) {
  extern __shared__ uint4 shared[];
  __half* patch = reinterpret_cast<__half*>(shared);
  __half2* weights = reinterpret_cast<__half2*>(patch + tile.patch_halves);  // two a tap
  const int m0 = blockIdx.z * kMaps, h0 = blockIdx.y * tile.rows, in_rows = tile.rows + K - 1;

  for (int t = threadIdx.x; t < d.taps; t += blockDim.x) {
    const auto weight = [&](int m) { return m < d.M ? k[std::int64_t{m} * d.taps + t] : 0.0f; };
    weights[2 * t] = __floats2half2_rn(weight(m0), weight(m0 + 1));
    weights[2 * t + 1] = __floats2half2_rn(weight(m0 + 2), weight(m0 + 3));
  }
  const float* image = x + blockIdx.x * d.x_image;
  for (int row = threadIdx.x / 32; row < d.C * in_rows; row += blockDim.x / 32) {
    const int h = h0 + row % in_rows;
    const float* from = image + (row / in_rows * d.H + h) * d.W;
    for (int w = threadIdx.x % 32; w < tile.pitch; w += 32)
      patch[row * tile.pitch + w] = __float2half_rn(h < d.H && w < d.W ? from[w] : 0.0f);
  }
  __syncthreads();

  const int row = threadIdx.x / tile.strips, w0 = threadIdx.x % tile.strips * kStrip;
  if (row >= tile.rows || h0 + row >= d.Ho) return;
  float sum[kMaps][kStrip] = {};
  for (int c = 0; c < d.C; ++c) {
    __half2 part[kMaps / 2][kStrip];
#pragma unroll
    for (int p = 0; p < K; ++p) {
      const __half2* from =
          reinterpret_cast<const __half2*>(patch + (c * in_rows + row + p) * tile.pitch + w0);
      __half2 in[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) in[i] = from[i];
#pragma unroll
      for (int q = 0; q < K; ++q) {
        const __half2 w01 = weights[2 * ((c * K + p) * K + q)];
        const __half2 w23 = weights[2 * ((c * K + p) * K + q) + 1];
#pragma unroll
        for (int j = 0; j < kStrip; ++j) {
          const __half2 v =
              (q + j) % 2 == 0 ? __low2half2(in[(q + j) / 2]) : __high2half2(in[(q + j) / 2]);
          const bool first = p % 2 == 0 && q == 0;
          part[0][j] = first ? __hmul2(w01, v) : __hfma2(w01, v, part[0][j]);
          part[1][j] = first ? __hmul2(w23, v) : __hfma2(w23, v, part[1][j]);
        }
      }
      if (p % 2 == 1 || p == K - 1) {
#pragma unroll
        for (int j = 0; j < kStrip; ++j)
#pragma unroll
          for (int i = 0; i < kMaps / 2; ++i) {
            sum[2 * i][j] += __low2float(part[i][j]);
            sum[2 * i + 1][j] += __high2float(part[i][j]);
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

}  // namespace opgrade::kernels::rung10
