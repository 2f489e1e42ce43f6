// A plain right submission to 2020fa: host pointers in, host pointers out.
#include <cuda_runtime.h>

#include "gpu-new-forward.h"

__global__ void conv_forward_kernel(float *y, const float *x, const float *k, const int M, const int C, const int H, const int W, const int K) {
  const int H_out = H - K + 1;
  const int W_out = W - K + 1;
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= H_out * W_out) return;
  const int h = pixel / W_out;
  const int w = pixel % W_out;
  const int m = blockIdx.y;
  const int b = blockIdx.z;
  float sum = 0;
  for (int c = 0; c < C; ++c)
    for (int p = 0; p < K; ++p)
      for (int q = 0; q < K; ++q)
        sum += x[((b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
  y[((b * M + m) * H_out + h) * W_out + w] = sum;
}

void GPUInterface::conv_forward_gpu(float *host_y, const float *host_x, const float *host_k, const int B, const int M, const int C, const int H, const int W, const int K) {
  const size_t y_bytes = sizeof(float) * B * M * (H - K + 1) * (W - K + 1);
  const size_t x_bytes = sizeof(float) * B * C * H * W;
  const size_t k_bytes = sizeof(float) * M * C * K * K;
  float *device_y, *device_x, *device_k;
  cudaMalloc((void **)&device_y, y_bytes);
  cudaMalloc((void **)&device_x, x_bytes);
  cudaMalloc((void **)&device_k, k_bytes);
  cudaMemcpy(device_x, host_x, x_bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_k, host_k, k_bytes, cudaMemcpyHostToDevice);
  const int pixels = (H - K + 1) * (W - K + 1);
  dim3 grid((pixels + 127) / 128, M, B);
  conv_forward_kernel<<<grid, 128>>>(device_y, device_x, device_k, M, C, H, W, K);
  cudaMemcpy(host_y, device_y, y_bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_y);
  cudaFree(device_x);
  cudaFree(device_k);
}
