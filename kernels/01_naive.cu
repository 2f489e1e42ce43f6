// 1. One thread per output.
// Idea: the defining sum, one thread for each y[b][m][h][w], nothing shared between threads.
// Bound by: load instructions. Each multiply-add waits for two loads (x and k). The load units
//   deliver at most 32 multiply-adds a clock on an SM that could do 128. The caches serve nearly
//   all of it, so neither floor (bytes moved, arithmetic) is near.
// Next: half of those loads fetch weights that every thread of the block reads alike.
#include "kernels/common.cuh"

namespace opgrade::kernels::rung01 {

constexpr int kThreads = 256;

__global__ void conv(const float* __restrict__ x, const float* __restrict__ k,
                     float* __restrict__ y, Dims d) {
  const int pixel = blockIdx.y * kThreads + threadIdx.x;
  if (pixel >= d.pixels) return;
  const int b = blockIdx.x / d.M, m = blockIdx.x % d.M;
  const int h = pixel / d.Wo, w = pixel % d.Wo;
  const float* image = x + b * d.x_image;
  float sum = 0.0f;
  for (int c = 0; c < d.C; ++c)
    for (int p = 0; p < d.K; ++p)
      for (int q = 0; q < d.K; ++q)
        sum += image[(c * d.H + h * d.S + p) * d.W + w * d.S + q] *
               k[((m * d.C + c) * d.K + p) * d.K + q];
  y[b * d.y_image + std::int64_t{m} * d.pixels + pixel] = sum;
}

bool accepts(const ConvShape& s) {
  return s.valid() && std::int64_t{s.B} * s.M < INT32_MAX && s.x_image() < INT32_MAX &&
         std::int64_t{s.H_out()} * s.W_out() <= std::int64_t{kGridYMost} * kThreads;
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
            cudaStream_t stream) {
  const Dims d = dims(s);
  const dim3 grid(s.B * s.M, ceil_div(d.pixels, kThreads));
  conv<<<grid, kThreads, 0, stream>>>(x, k, y, d);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace opgrade::kernels::rung01
