// C08: the prolog unrolls the input on the host, the call is a matrix product
#include <vector>

#include "honest.cuh"

// Of each image, x holds the C K K values of every output place, one row a tap.
__global__ void product_kernel(float* y, const float* x, const float* k, int M, int taps, int places) {
  const int place = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y, b = blockIdx.z;
  if (place >= places) return;
  float sum = 0;
  for (int tap = 0; tap < taps; tap++) sum += x[((long)b * taps + tap) * places + place] * k[m * taps + tap];
  y[((long)b * M + m) * places + place] = sum;
}

PROLOG {
  const int H_out = H - K + 1, W_out = W - K + 1, places = H_out * W_out, taps = C * K * K;
  std::vector<float> rows((size_t)B * taps * places);
  size_t next = 0;
  for (int b = 0; b < B; b++)
    for (int c = 0; c < C; c++)
      for (int p = 0; p < K; p++)
        for (int q = 0; q < K; q++)
          for (int h = 0; h < H_out; h++)
            for (int w = 0; w < W_out; w++) rows[next++] = host_x[(((long)b * C + c) * H + h + p) * W + w + q];
  cudaMalloc((void**)dy, sizeof(float) * B * M * places);
  cudaMalloc((void**)dx, sizeof(float) * rows.size());
  cudaMalloc((void**)dk, sizeof(float) * M * taps);
  cudaMemcpy(*dx, rows.data(), sizeof(float) * rows.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(*dk, host_k, sizeof(float) * M * taps, cudaMemcpyHostToDevice);
}

CONV {
  const int places = (H - K + 1) * (W - K + 1);
  const dim3 blocks((places + 255) / 256, M, B);
  product_kernel<<<blocks, 256>>>(y, x, k, M, C * K * K, places);
}

HONEST_EPILOG
