#include "softmax.h"

constexpr int kBlock = 128;

__global__ void softmax_rows(const float* x, float* y, int columns) {
  __shared__ float part[kBlock];
  x += static_cast<long long>(blockIdx.x) * columns;
  y += static_cast<long long>(blockIdx.x) * columns;
  float own = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += kBlock) own = fmaxf(own, x[c]);
  part[threadIdx.x] = own;
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
  }
  const float largest = part[0];
  own = 0;
  for (int c = threadIdx.x; c < columns; c += kBlock) own += expf(x[c] - largest);
  part[threadIdx.x] = own;
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  for (int c = threadIdx.x; c < columns; c += kBlock) y[c] = expf(x[c] - largest) / part[0];
}

void softmax(const float* x, float* y, int rows, int columns) {
  softmax_rows<<<rows, kBlock>>>(x, y, columns);
}
