// Unrolling fused with a matrix product on tensor cores: a warp makes 16 maps of 16 pixels.
#include <mma.h>

#include "layers.cuh"

using namespace nvcuda;

__global__ void conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W,
                     int K) {
  __shared__ half left[16][16], right[16][16];
  __shared__ float out[16][16];
  const int height = H - K + 1, width = W - K + 1, pixels = height * width, inner = C * K * K;
  const int first = blockIdx.x * 16, b = blockIdx.y, lane = threadIdx.x;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int t = 0; t < inner; t += 16) {
    for (int i = lane; i < 256; i += 32) {
      const int r = i / 16, s = i % 16, p = t + r, pixel = first + s;
      left[r][s] = __float2half(r < M && t + s < inner ? k[r * inner + t + s] : 0.0f);
      const int c = p / (K * K), kh = p / K % K, kw = p % K;
      right[r][s] =
          __float2half(p < inner && pixel < pixels
                           ? x[((b * C + c) * H + pixel / width + kh) * W + pixel % width + kw]
                           : 0.0f);
    }
    __syncwarp();
    wmma::load_matrix_sync(fa, &left[0][0], 16);
    wmma::load_matrix_sync(fb, &right[0][0], 16);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
  }
  wmma::store_matrix_sync(&out[0][0], fc, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = lane; i < 256; i += 32) {
    const int m = i / 16, pixel = first + i % 16;
    if (m < M && pixel < pixels) y[((size_t)b * M + m) * pixels + pixel] = out[m][i % 16];
  }
}

void forward(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  const int pixels = (H - K + 1) * (W - K + 1);
  conv<<<dim3((pixels + 15) / 16, B), 32>>>(y, x, k, B, M, C, H, W, K);
}
