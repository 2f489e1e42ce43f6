#include <cuda_runtime.h>

#include "gpu-new-forward.h"

__global__ void conv_forward_kernel(float* y, const float* x, const float* k, int M, int C, int H,
                                    int W, int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= H_out * W_out) return;
  const int h = pixel / W_out, w = pixel % W_out, m = blockIdx.y;
  const size_t b = blockIdx.z;
  float sum = 0;
  for (int c = 0; c < C; ++c)
    for (int p = 0; p < K; ++p)
      for (int q = 0; q < K; ++q)
        sum += x[((b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
  y[(b * M + m) * H_out * W_out + pixel] = sum;
}

void GPUInterface::conv_forward_gpu_prolog(const float*, const float* host_x, const float* host_k,
                                           float** device_y, float** device_x, float** device_k,
                                           const int B, const int M, const int C, const int H,
                                           const int W, const int K) {
  const size_t x_bytes = sizeof(float) * B * C * H * W, k_bytes = sizeof(float) * M * C * K * K;
  cudaMalloc(device_y, sizeof(float) * B * M * (H - K + 1) * (W - K + 1));
  cudaMalloc(device_x, x_bytes);
  cudaMalloc(device_k, k_bytes);
  cudaMemcpy(*device_x, host_x, x_bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(*device_k, host_k, k_bytes, cudaMemcpyHostToDevice);
}

void GPUInterface::conv_forward_gpu(float* y, const float* x, const float* k, const int B,
                                    const int M, const int C, const int H, const int W,
                                    const int K) {
  const int pixels = (H - K + 1) * (W - K + 1);
  conv_forward_kernel<<<dim3((pixels + 255) / 256, M, B), 256>>>(y, x, k, M, C, H, W, K);
}

void GPUInterface::conv_forward_gpu_epilog(float* host_y, float* device_y, float* device_x,
                                           float* device_k, const int B, const int M, const int C,
                                           const int H, const int W, const int K) {
  cudaMemcpy(host_y, device_y, sizeof(float) * B * M * (H - K + 1) * (W - K + 1),
             cudaMemcpyDeviceToHost);
  cudaFree(device_y);
  cudaFree(device_x);
  cudaFree(device_k);
}
