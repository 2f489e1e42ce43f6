// 13. Tensor cores at full fp32 accuracy: 3xTF32.
// Idea: split each operand into a TF32 head and the TF32 of what is left: v = hi + lo to 22 bits.
//   Then k*x = k_hi*x_hi + k_hi*x_lo + k_lo*x_hi, three products of 11 with sums in fp32; the
//   fourth, k_lo*x_lo, is below fp32's own rounding. Any range that fp32 has.
// Bound by: the gather of 11 still; the two further products fit in the time it leaves.
// Next: 14 and 15 read the image in place instead.
#include <mma.h>

#include "kernels/common.cuh"

namespace opgrade::kernels::rung13 {

using namespace nvcuda;

constexpr int kMaps = 16, kPixels = 128, kDepth = 32;   // a block's tile
constexpr int kThreads = 256;                           // 8 warps of 16 pixels
constexpr int kRowK = kDepth + 4, kRowU = kPixels + 4;  // padded against bank conflicts

/// v becomes its TF32 head, lo the TF32 of the rest.
template <class Fragment>
__device__ void split(Fragment& v, Fragment& lo) {
#pragma unroll
  for (int i = 0; i < v.num_elements; ++i) {
    const float whole = v.x[i];
    v.x[i] = wmma::__float_to_tf32(whole);
    lo.x[i] = wmma::__float_to_tf32(whole - v.x[i]);
  }
}

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
      tile_k[m * kRowK + t] =
          m0 + m < d.M && t0 + t < d.taps ? k[(m0 + m) * d.taps + t0 + t] : 0.0f;
    }
#pragma unroll
    for (int t = tid / kPixels; t < kDepth; t += kThreads / kPixels)
      tile_u[t * kRowU + column] = t0 + t < d.taps ? window[tap_offset[t0 + t]] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int t = 0; t < kDepth; t += 8) {
      wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
      wmma::load_matrix_sync(a, tile_k + t, kRowK);
      wmma::load_matrix_sync(b, tile_u + t * kRowU + warp * 16, kRowU);
      auto a_lo = a;
      auto b_lo = b;
      split(a, a_lo);
      split(b, b_lo);
      wmma::mma_sync(sum, a_lo, b, sum);
      wmma::mma_sync(sum, a, b_lo, sum);
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

}  // namespace opgrade::kernels::rung13
