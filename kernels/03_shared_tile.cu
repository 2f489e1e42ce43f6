// 3. Shared-memory tile.
// Idea: a block loads the (15*S + K)^2 patch under its 16x16 outputs once, all channels of it, and
//   computes every output map from it. Device memory is read about (1 + (K-1)/16)^2 times.
// Bound by: shared-memory loads, one of 4 bytes for each multiply-add: the same 32 a clock as the
//   caches gave, only with less waiting.
// Next: reuse has to happen in registers. The classic way there is a matrix product, so 4 first
//   turns the convolution into one.
#include "kernels/common.cuh"

namespace opgrade::kernels::rung03 {

constexpr int kTile = 16;

__global__ void conv(const float* __restrict__ x, const float* __restrict__ k,
                     float* __restrict__ y, Dims d) {
  extern __shared__ float patch[];
  const int side = (kTile - 1) * d.S + d.K;
  const int tiles_w = ceil_div(d.Wo, kTile);
  const int h0 = blockIdx.y / tiles_w * kTile, w0 = blockIdx.y % tiles_w * kTile;
  const float* image = x + blockIdx.x * d.x_image;

  for (int row = threadIdx.y; row < d.C * side; row += kTile) {
    const int c = row / side, h = h0 * d.S + row % side;
    for (int col = threadIdx.x; col < side; col += kTile) {
      const int w = w0 * d.S + col;
      patch[row * side + col] = h < d.H && w < d.W ? image[(c * d.H + h) * d.W + w] : 0.0f;
    }
  }
  __syncthreads();

  const int h = h0 + threadIdx.y, w = w0 + threadIdx.x;
  if (h >= d.Ho || w >= d.Wo) return;
  float* out = y + blockIdx.x * d.y_image + h * d.Wo + w;
  for (int m = 0; m < d.M; ++m) {
    float sum = 0.0f;
    for (int c = 0; c < d.C; ++c)
      for (int p = 0; p < d.K; ++p)
        for (int q = 0; q < d.K; ++q)
          sum += patch[(c * side + threadIdx.y * d.S + p) * side + threadIdx.x * d.S + q] *
                 k[((m * d.C + c) * d.K + p) * d.K + q];
    out[std::int64_t{m} * d.pixels] = sum;
  }
}

std::size_t patch_bytes(const ConvShape& s) {
  const std::size_t side = (kTile - 1) * s.S + s.K;
  return s.C * side * side * sizeof(float);
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.x_image() < INT32_MAX && patch_bytes(s) <= kSharedPlain &&
         std::int64_t{ceil_div(s.H_out(), kTile)} * ceil_div(s.W_out(), kTile) <= kGridYMost;
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
            cudaStream_t stream) {
  const Dims d = dims(s);
  const dim3 grid(s.B, ceil_div(d.Ho, kTile) * ceil_div(d.Wo, kTile)), block(kTile, kTile);
  conv<<<grid, block, patch_bytes(s), stream>>>(x, k, y, d);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace opgrade::kernels::rung03
