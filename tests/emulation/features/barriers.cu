// Barriers of all kinds, in blocks of all shapes, with threads that leave early or never wait.
#include "expect.cuh"

__global__ void transpose(int* out, int loops) {
  extern __shared__ int s[];
  const int n = blockDim.x * blockDim.y * blockDim.z;
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int v = t;
  for (int i = 0; i < loops; ++i) {
    s[t] = v;
    __syncthreads();
    v = s[(t + 1) % n];
    __syncthreads();
  }
  out[blockIdx.x * n + t] = v;
}

__global__ void votes(int* out) {
  const int odd = threadIdx.x % 2;
  const int count = __syncthreads_count(odd);
  const int any = __syncthreads_or(threadIdx.x == 70);
  const int every = __syncthreads_and(threadIdx.x < 1000);
  const int none = __syncthreads_and(odd);
  out[threadIdx.x] = count * 1000 + (any != 0) * 100 + (every != 0) * 10 + (none != 0);
}

__global__ void leaves_early(int* out, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void sometimes(int* out) {  // whole blocks without any barrier
  __shared__ int s[64];
  if (blockIdx.x % 2 == 0) {
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
  } else {
    out[blockIdx.x * 64 + threadIdx.x] = -1;
  }
}

__device__ int recursive(int depth) {
  __syncthreads();
  return depth == 0 ? 0 : 1 + recursive(depth - 1);
}
__global__ void in_recursion(int* out) { out[threadIdx.x] = recursive(5); }

__global__ void lock(int* counter, int* mutex) {
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  *counter = *counter + 1;
  __threadfence();
  atomicExch(mutex, 0);
}

extern "C" int run() {
  static int host[64 * 1024];
  int* out;
  cudaMalloc(&out, sizeof host);
  const dim3 shapes[] = {dim3(1),    dim3(33),       dim3(8, 4, 2), dim3(16, 16),
                         dim3(1024), dim3(2, 2, 64), dim3(3, 5, 7)};
  for (const dim3 shape : shapes) {
    const int n = shape.x * shape.y * shape.z;
    transpose<<<40, shape, n * sizeof(int)>>>(out, 3);
    EXPECT(cudaMemcpy(host, out, 40 * n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
    int wrong = 0;
    for (int b = 0; b < 40; ++b) {
      for (int t = 0; t < n; ++t) wrong += host[b * n + t] != (t + 3) % n;
    }
    EXPECT(wrong == 0);
  }
  votes<<<1, 96>>>(out);
  cudaMemcpy(host, out, 96 * sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 48110 && host[95] == 48110);
  cudaMemset(out, 0, 64 * sizeof(int));
  leaves_early<<<1, 64>>>(out, 20);
  cudaMemcpy(host, out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[19] == 1 && host[20] == 0);
  sometimes<<<100, 64>>>(out);
  cudaMemcpy(host, out, 100 * 64 * sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 63 && host[64] == -1 && host[98 * 64 + 63] == 0 && host[99 * 64] == -1);
  in_recursion<<<3, 40>>>(out);
  cudaMemcpy(host, out, 40 * sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[39] == 5);
  cudaMemset(out, 0, 2 * sizeof(int));
  lock<<<20, 50>>>(out, out + 1);
  cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 1000);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  cudaFree(out);
  return failures;
}
