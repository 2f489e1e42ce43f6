// C08: the prolog brings the weights into another layout
#include "honest.cuh"

static float* turned = nullptr;

__global__ void turn(float* to, const float* from, int M, int rest) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M * rest; i += gridDim.x * blockDim.x)
    to[i % rest * M + i / rest] = from[i];
}

__global__ void turned_conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (long)B * M * H_out * W_out) return;
  const int w = i % W_out, h = i / W_out % H_out, m = i / (W_out * H_out) % M, b = i / ((long)W_out * H_out * M);
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum += x[(((long)b * C + c) * H + h + p) * W + w + q] * k[((c * K + p) * K + q) * M + m];
  y[i] = sum;
}

PROLOG {
  honest_prolog(host_y, host_x, host_k, dy, dx, dk, B, M, C, H, W, K);
  cudaMalloc((void**)&turned, sizeof(float) * M * C * K * K);
  turn<<<8, 128>>>(turned, *dk, M, C * K * K);
}

CONV {
  const long outputs = (long)B * M * (H - K + 1) * (W - K + 1);
  turned_conv<<<(outputs + 255) / 256, 256>>>(y, x, turned, B, M, C, H, W, K);
}

EPILOG {
  cudaFree(turned);
  honest_epilog(host_y, dy, dx, dk, B, M, C, H, W, K);
}
