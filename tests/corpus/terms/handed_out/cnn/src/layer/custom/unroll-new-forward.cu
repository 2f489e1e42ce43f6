#include "gpu-new-forward.h"
#include "matmul.h"

__global__ void unroll(const float* input, float* output, int Batch, int Channel, int Height, int Width, int K) {
  const int rows = Height - K + 1, columns = Width - K + 1;
  const size_t width = static_cast<size_t>(Batch) * rows * columns;
  const size_t t = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t >= width) return;
  const int w = t % columns, h = t / columns % rows, b = t / columns / rows;
  for (int c = 0; c < Channel; ++c)
    for (int p = 0; p < K; ++p)
      for (int q = 0; q < K; ++q)
        output[((c * K + p) * K + q) * width + t] =
            input[((static_cast<size_t>(b) * Channel + c) * Height + h + p) * Width + w + q];
}

__global__ void permute(const float* product, float* output, int Batch, int Map_out, int pixels) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (x >= pixels) return;
  for (int m = 0; m < Map_out; ++m)
    output[(static_cast<size_t>(b) * Map_out + m) * pixels + x] =
        product[(static_cast<size_t>(m) * Batch + b) * pixels + x];
}

void GPUInterface::conv_forward_gpu_prolog(const float*, const float* host_x, const float* host_k, float** y, float** x,
                                           float** k, const int B, const int M, const int C, const int H, const int W,
                                           const int K) {
  const size_t in = sizeof(float) * B * C * H * W, mask = sizeof(float) * M * C * K * K;
  cudaMalloc(y, sizeof(float) * B * M * (H - K + 1) * (W - K + 1));
  cudaMalloc(x, in);
  cudaMalloc(k, mask);
  cudaMemcpy(*x, host_x, in, cudaMemcpyHostToDevice);
  cudaMemcpy(*k, host_k, mask, cudaMemcpyHostToDevice);
}

void GPUInterface::conv_forward_gpu(float* y, const float* x, const float* k, const int B, const int M, const int C,
                                    const int H, const int W, const int K) {
  const int pixels = (H - K + 1) * (W - K + 1), depth = C * K * K, width = B * pixels;
  float *unrolled, *product;
  cudaMalloc(&unrolled, sizeof(float) * depth * width);
  cudaMalloc(&product, sizeof(float) * M * width);
  unroll<<<(width + 255) / 256, 256>>>(x, unrolled, B, C, H, W, K);
  const dim3 grid((width - 1) / MATMUL_TILE_WIDTH + 1, (M - 1) / MATMUL_TILE_WIDTH + 1);
  matrixMultiplyShared<<<grid, dim3(MATMUL_TILE_WIDTH, MATMUL_TILE_WIDTH)>>>(k, unrolled, product, M, depth, depth,
                                                                            width, M, width);
  permute<<<dim3((pixels + 255) / 256, B), 256>>>(product, y, B, M, pixels);
  cudaFree(unrolled);
  cudaFree(product);
}

void GPUInterface::conv_forward_gpu_epilog(float* host_y, float* y, float* x, float* k, const int B, const int M,
                                           const int, const int H, const int W, const int K) {
  cudaMemcpy(host_y, y, sizeof(float) * B * M * (H - K + 1) * (W - K + 1), cudaMemcpyDeviceToHost);
  cudaFree(y);
  cudaFree(x);
  cudaFree(k);
}

void GPUInterface::get_device_properties() {}
