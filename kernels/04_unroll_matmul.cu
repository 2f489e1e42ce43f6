// 4. Unroll, then a tiled matrix product.
// Idea: copy every output's window into a column (im2col): U is C*K*K x H_out*W_out for each image.
//   Then Y = weights * U is a plain matrix product with 16x16 tiles in shared memory.
// Bound by: bytes. U is K*K times the input and is written and read once more. That is 58 GB for
//   layer 1 of the 86x86 network at B=10000, where input and output together are 1.3 GB.
// Next: build U's tiles in shared memory only.
#include "kernels/common.cuh"

namespace opgrade::kernels::rung04 {

constexpr int kTile = 16;
constexpr int kThreads = 256;
constexpr std::size_t kChunkBytes = std::size_t{256} << 20;  // of U held at once

__global__ void unroll(const float* __restrict__ x, float* __restrict__ u, Dims d) {
  const int pixel = blockIdx.y * kThreads + threadIdx.x;
  if (pixel >= d.pixels) return;
  const int row = blockIdx.x % d.taps, image = blockIdx.x / d.taps;
  const int c = row / (d.K * d.K), p = row / d.K % d.K, q = row % d.K;
  const int h = pixel / d.Wo * d.S + p, w = pixel % d.Wo * d.S + q;
  u[(std::int64_t{image} * d.taps + row) * d.pixels + pixel] =
      x[image * d.x_image + (c * d.H + h) * d.W + w];
}

/// y[image] = k * u[image]: (M x taps) times (taps x pixels).
__global__ void matmul(const float* __restrict__ k, const float* __restrict__ u,
                       float* __restrict__ y, Dims d) {
  __shared__ float tile_k[kTile][kTile], tile_u[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int m = blockIdx.z * kTile + ty, pixel = blockIdx.y * kTile + tx;
  u += blockIdx.x * (std::int64_t{d.taps} * d.pixels);
  float sum = 0.0f;
  for (int t0 = 0; t0 < d.taps; t0 += kTile) {
    tile_k[ty][tx] = m < d.M && t0 + tx < d.taps ? k[m * d.taps + t0 + tx] : 0.0f;
    tile_u[ty][tx] =
        t0 + ty < d.taps && pixel < d.pixels ? u[std::int64_t{t0 + ty} * d.pixels + pixel] : 0.0f;
    __syncthreads();
    for (int t = 0; t < kTile; ++t) sum += tile_k[ty][t] * tile_u[t][tx];
    __syncthreads();
  }
  if (m < d.M && pixel < d.pixels)
    y[blockIdx.x * d.y_image + std::int64_t{m} * d.pixels + pixel] = sum;
}

std::size_t image_bytes(const ConvShape& s) {
  return sizeof(float) * s.C * s.K * s.K * s.H_out() * s.W_out();
}

int chunk(const ConvShape& s) {
  const std::size_t fits = kChunkBytes / image_bytes(s);
  return fits < 1 ? 1 : fits < static_cast<std::size_t>(s.B) ? static_cast<int>(fits) : s.B;
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.x_image() < INT32_MAX && s.M <= kTile * kGridYMost &&
         std::int64_t{s.B} * s.C * s.K * s.K < INT32_MAX &&
         std::int64_t{s.H_out()} * s.W_out() <= std::int64_t{kGridYMost} * kTile;
}

std::size_t workspace_bytes(const ConvShape& s) { return chunk(s) * image_bytes(s); }

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace& space,
            cudaStream_t stream) {
  const Dims d = dims(s);
  float* u = static_cast<float*>(space.data);
  for (int b = 0; b < s.B; b += chunk(s)) {
    const int images = s.B - b < chunk(s) ? s.B - b : chunk(s);
    unroll<<<dim3(images * d.taps, ceil_div(d.pixels, kThreads)), kThreads, 0, stream>>>(
        x + b * d.x_image, u, d);
    CUDA_CHECK(cudaGetLastError());
    const dim3 grid(images, ceil_div(d.pixels, kTile), ceil_div(d.M, kTile));
    matmul<<<grid, dim3(kTile, kTile), 0, stream>>>(k, u, y + b * d.y_image, d);
    CUDA_CHECK(cudaGetLastError());
  }
}

}  // namespace opgrade::kernels::rung04
