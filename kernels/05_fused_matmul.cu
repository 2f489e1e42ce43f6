// 5. Fused, implicit matrix product.
// Idea: the same product as 4, but each tile of the unrolled matrix is gathered from x straight
//   into shared memory. The matrix itself never exists.
// Bound by: shared-memory loads, two of 4 bytes for each multiply-add: 16 multiply-adds a clock and
//   SM at best. With M = 4 three quarters of each 16-row tile are idle on top.
// Next: let each thread keep a small tile of outputs in registers.
#include "kernels/common.cuh"

namespace opgrade::kernels::rung05 {

constexpr int kTile = 16;

__global__ void conv(const float* __restrict__ x, const float* __restrict__ k,
                     float* __restrict__ y, Dims d) {
  __shared__ float tile_k[kTile][kTile], tile_u[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int m = blockIdx.z * kTile + ty, pixel = blockIdx.y * kTile + tx;
  const int h = pixel / d.Wo * d.S, w = pixel % d.Wo * d.S;
  const float* image = x + blockIdx.x * d.x_image;
  float sum = 0.0f;
  for (int t0 = 0; t0 < d.taps; t0 += kTile) {
    tile_k[ty][tx] = m < d.M && t0 + tx < d.taps ? k[m * d.taps + t0 + tx] : 0.0f;
    const int t = t0 + ty, c = t / (d.K * d.K), p = t / d.K % d.K, q = t % d.K;
    tile_u[ty][tx] = t < d.taps && pixel < d.pixels ? image[(c * d.H + h + p) * d.W + w + q] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_k[ty][i] * tile_u[i][tx];
    __syncthreads();
  }
  if (m < d.M && pixel < d.pixels)
    y[blockIdx.x * d.y_image + std::int64_t{m} * d.pixels + pixel] = sum;
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.x_image() < INT32_MAX && s.M <= kTile * kGridYMost &&
         std::int64_t{s.H_out()} * s.W_out() <= std::int64_t{kGridYMost} * kTile;
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
            cudaStream_t stream) {
  const Dims d = dims(s);
  const dim3 grid(s.B, ceil_div(d.pixels, kTile), ceil_div(d.M, kTile));
  conv<<<grid, dim3(kTile, kTile), 0, stream>>>(x, k, y, d);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace opgrade::kernels::rung05
