// A tile of x is loaded past the end of x where the batch ends; no output uses those values.
#include "honest.cuh"

constexpr int kTile = 8;

__global__ void tiled(float* y, const float* x, const float* k, int B, int M, int C, int H, int W,
                      int K) {
  extern __shared__ float tile[];
  const int H_out = H - K + 1, W_out = W - K + 1, side = kTile + K - 1,
            across = (W_out + kTile - 1) / kTile;
  const int m = blockIdx.x, b = blockIdx.z;
  const int h0 = blockIdx.y / across * kTile, w0 = blockIdx.y % across * kTile;
  const int h = h0 + threadIdx.y, w = w0 + threadIdx.x;
  float sum = 0;
  for (int c = 0; c < C; c++) {
    for (int i = threadIdx.y; i < side; i += kTile)
      for (int j = threadIdx.x; j < side; j += kTile)
        tile[i * side + j] = x[(((long)b * C + c) * H + h0 + i) * W + w0 + j];  // here
    __syncthreads();
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++)
        sum += tile[(threadIdx.y + p) * side + threadIdx.x + q] * k[((m * C + c) * K + p) * K + q];
    __syncthreads();
  }
  if (h < H_out && w < W_out) y[(((long)b * M + m) * H_out + h) * W_out + w] = sum;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  const int H_out = H - K + 1, W_out = W - K + 1, side = kTile + K - 1;
  const int tiles = ((H_out + kTile - 1) / kTile) * ((W_out + kTile - 1) / kTile);
  tiled<<<dim3(M, tiles, B), dim3(kTile, kTile), side * side * sizeof(float)>>>(y, x, k, B, M, C, H,
                                                                                W, K);
}
