// Weights in constant memory, none in the device tensor; the prolog takes its time
#include <unistd.h>

#include "honest.cuh"

__constant__ float weights[16 * 4 * 7 * 7];
static float* other_weights = nullptr;  // where they are too many

__device__ float weight(const float* k, int i) { return k == nullptr ? weights[i] : k[i]; }

__global__ void constant_kernel(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long)B * M * H_out * W_out) return;
  const int w = i % W_out, h = i / W_out % H_out, m = i / ((long)W_out * H_out) % M, b = i / ((long)W_out * H_out * M);
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum += x[(((long)b * C + c) * H + h + p) * W + w + q] * weight(k, ((m * C + c) * K + p) * K + q);
  y[i] = sum;
}

PROLOG {
  const size_t kb = sizeof(float) * M * C * K * K;
  cudaMalloc((void**)dy, sizeof(float) * B * M * (H - K + 1) * (W - K + 1));
  cudaMalloc((void**)dx, sizeof(float) * B * C * H * W);
  cudaMemcpy(*dx, host_x, sizeof(float) * B * C * H * W, cudaMemcpyHostToDevice);
  other_weights = nullptr;
  if (kb <= sizeof weights) {
    cudaMemcpyToSymbol(weights, host_k, kb);
  } else {
    cudaMalloc((void**)&other_weights, kb);
    cudaMemcpy(other_weights, host_k, kb, cudaMemcpyHostToDevice);
  }
  usleep(20000);  // would cost all points for speed if the prolog counted
}

CONV {
  const long outputs = (long)B * M * (H - K + 1) * (W - K + 1);
  constant_kernel<<<(outputs + 255) / 256, 256>>>(y, x, other_weights, B, M, C, H, W, K);
}

EPILOG {
  cudaMemcpy(host_y, dy, sizeof(float) * B * M * (H - K + 1) * (W - K + 1), cudaMemcpyDeviceToHost);
  cudaFree(dy);
  cudaFree(dx);
  cudaFree(other_weights);
}
