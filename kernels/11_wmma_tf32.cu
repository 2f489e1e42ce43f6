// 11. Tensor cores in TF32.
// Idea: the fused product of 5 and 6, its 16x16 tiles multiplied by the tensor cores through WMMA.
//   TF32 keeps fp32's range and 11 bits of its precision; sums stay in fp32.
// Bound by: the gather, as in 7. Every element goes x -> register -> shared memory -> fragment for
//   a single 16-map tile. The tensor cores wait for shared memory most of the time.
// Next: halves take half the shared memory and twice the arithmetic rate.
#include <mma.h>

#include "kernels/common.cuh"

namespace opgrade::kernels::rung11 {

using namespace nvcuda;

constexpr int kMaps = 16, kPixels = 128, kDepth = 32;   // a block's tile
constexpr int kThreads = 256;                           // 8 warps of 16 pixels
constexpr int kRowK = kDepth + 4, kRowU = kPixels + 4;  // padded against bank conflicts

__global__ void __launch_bounds__(kThreads)
    conv(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, Dims d) {
  extern __shared__ int tap_offset[];
  __shared__ __align__(32) float tile_k[kMaps * kRowK], tile_u[kDepth * kRowU];
  const int tid = threadIdx.x, m0 = blockIdx.z * kMaps, pixel0 = blockIdx.y * kPixels;
  for (int t = tid; t < d.taps; t += kThreads)
    tap_offset[t] = (t / (d.K * d.K) * d.H + t / d.K % d.K) * d.W + t % d.K;

  const int column = tid % kPixels, pixel = min(pixel0 + column, d.pixels - 1);
  const float* window = x + blockIdx.x * d.x_image + pixel / d.Wo * d.S * d.W + pixel % d.Wo * d.S;
  const int warp = tid / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int t0 = 0; t0 < d.taps; t0 += kDepth) {
    __syncthreads();
    for (int i = tid; i < kMaps * kDepth; i += kThreads) {
      const int m = i / kDepth, t = i % kDepth;
      tile_k[m * kRowK + t] = wmma::__float_to_tf32(
          m0 + m < d.M && t0 + t < d.taps ? k[(m0 + m) * d.taps + t0 + t] : 0.0f);
    }
#pragma unroll
    for (int t = tid / kPixels; t < kDepth; t += kThreads / kPixels)
      tile_u[t * kRowU + column] =
          wmma::__float_to_tf32(t0 + t < d.taps ? window[tap_offset[t0 + t]] : 0.0f);
    __syncthreads();
#pragma unroll
    for (int t = 0; t < kDepth; t += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
      wmma::load_matrix_sync(a, tile_k + t, kRowK);
      wmma::load_matrix_sync(b, tile_u + t * kRowU + warp * 16, kRowU);
      wmma::mma_sync(sum, a, b, sum);
    }
  }
  __syncthreads();
  wmma::store_matrix_sync(tile_u + warp * 16, sum, kRowU, wmma::mem_row_major);
  __syncthreads();
  for (int m = tid / kPixels; m < kMaps && m0 + m < d.M; m += kThreads / kPixels)
    if (pixel0 + column < d.pixels)
      y[blockIdx.x * d.y_image + std::int64_t{m0 + m} * d.pixels + pixel0 + column] =
          tile_u[m * kRowU + column];
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.x_image() < INT32_MAX && s.C * s.K * s.K <= 4096 &&
         s.M <= kMaps * kGridYMost &&
         std::int64_t{s.H_out()} * s.W_out() <= std::int64_t{kGridYMost} * kPixels;
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
            cudaStream_t stream) {
  const Dims d = dims(s);
  const dim3 grid(s.B, ceil_div(d.pixels, kPixels), ceil_div(d.M, kMaps));
  conv<<<grid, kThreads, d.taps * sizeof(int), stream>>>(x, k, y, d);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace opgrade::kernels::rung11
