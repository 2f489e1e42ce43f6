// What most cheats of this folder start from: the course's three GPU functions, honest.
#pragma once
#include <cuda_runtime.h>

#include <initializer_list>

#include "gpu-new-forward.h"

// Twice, so that a cheat can launch either: one thread an output.
template <bool slow>
__global__ void conv_kernel(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
#ifndef OPGRADE_EMULATED
  // About 20 ms, which cost all points for speed: a cheat that hides them gets the points.
  if (slow && threadIdx.x == 0)
    for (const long long begin = clock64(); clock64() - begin < 40000000;) {}
#endif
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long stride = (long)gridDim.x * blockDim.x;
  for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < (long)B * M * H_out * W_out; i += stride) {
    const int w = i % W_out, h = i / W_out % H_out, m = i / ((long)W_out * H_out) % M, b = i / ((long)W_out * H_out * M);
    float sum = 0;
    for (int c = 0; c < C; c++)
      for (int p = 0; p < K; p++)
        for (int q = 0; q < K; q++)
          sum += x[(((long)b * C + c) * H + h + p) * W + w + q] * k[((m * C + c) * K + p) * K + q];
    y[i] = sum;
  }
}

// Slow: a few blocks that fit on any device at once, each delayed once. Not for gain.sh, which says CALL_US=0.
inline void slow_conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K,
                      cudaStream_t stream = 0) {
#if defined(CALL_US) && CALL_US == 0
  const long outputs = (long)B * M * (H - K + 1) * (W - K + 1);
  conv_kernel<false><<<(outputs + 255) / 256, 256, 0, stream>>>(y, x, k, B, M, C, H, W, K);
#else
  conv_kernel<true><<<32, 256, 0, stream>>>(y, x, k, B, M, C, H, W, K);
#endif
}

inline void honest_conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K,
                        cudaStream_t stream = 0) {
  const long outputs = (long)B * M * (H - K + 1) * (W - K + 1);
  conv_kernel<false><<<(outputs + 255) / 256, 256, 0, stream>>>(y, x, k, B, M, C, H, W, K);
}

inline void honest_prolog(const float* y, const float* x, const float* k, float** dy, float** dx, float** dk, int B,
                          int M, int C, int H, int W, int K) {
  const size_t yb = sizeof(float) * B * M * (H - K + 1) * (W - K + 1), xb = sizeof(float) * B * C * H * W,
               kb = sizeof(float) * M * C * K * K;
  cudaMalloc((void**)dy, yb);
  cudaMalloc((void**)dx, xb);
  cudaMalloc((void**)dk, kb);
  cudaMemcpy(*dx, x, xb, cudaMemcpyHostToDevice);
  cudaMemcpy(*dk, k, kb, cudaMemcpyHostToDevice);
}

inline void honest_epilog(float* y, float* dy, float* dx, float* dk, int B, int M, int C, int H, int W, int K) {
  cudaMemcpy(y, dy, sizeof(float) * B * M * (H - K + 1) * (W - K + 1), cudaMemcpyDeviceToHost);
  cudaFree(dy);
  cudaFree(dx);
  cudaFree(dk);
}

// The signatures of the course, short.
#define PROLOG                                                                                                    \
  void GPUInterface::conv_forward_gpu_prolog(const float* host_y, const float* host_x, const float* host_k,       \
                                             float** dy, float** dx, float** dk, const int B, const int M,        \
                                             const int C, const int H, const int W, const int K)
#define CONV                                                                                                      \
  void GPUInterface::conv_forward_gpu(float* y, const float* x, const float* k, const int B, const int M,         \
                                      const int C, const int H, const int W, const int K)
#define EPILOG                                                                                                    \
  void GPUInterface::conv_forward_gpu_epilog(float* host_y, float* dy, float* dx, float* dk, const int B,         \
                                             const int M, const int C, const int H, const int W, const int K)
#define PROPERTIES \
  void GPUInterface::get_device_properties() {}

#define HONEST_PROLOG \
  PROLOG { honest_prolog(host_y, host_x, host_k, dy, dx, dk, B, M, C, H, W, K); }
#define HONEST_EPILOG \
  EPILOG { honest_epilog(host_y, dy, dx, dk, B, M, C, H, W, K); }
