// malloc, free, new and delete in kernels.
#include <cstdlib>

#include "expect.cuh"

struct Counted {
  int* count;
  __device__ explicit Counted(int* c) : count(c) { atomicAdd(count, 1); }
  __device__ Counted() : count(nullptr) {}
  Counted(const Counted&) = delete;
  __device__ ~Counted() {
    if (count != nullptr) atomicAdd(count, -1);
  }
};

__device__ float sum_of(int n) {
  float* values = (float*)malloc(n * sizeof(float));
  if (values == nullptr) return -1;
  for (int i = 0; i < n; ++i) values[i] = i;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  free(values);
  return sum;
}

__global__ void private_buffers(float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int* const squares = new int[5];
  for (int i = 0; i < 5; ++i) squares[i] = i * i;
  out[t] = sum_of(10 + threadIdx.x) + squares[4];
  delete[] squares;
}

__global__ void objects(int* count, int* seen) {
  Counted* one = new Counted{count};
  Counted* three = new Counted[3];
  for (int i = 0; i < 3; ++i) three[i].count = count, atomicAdd(count, 1);
  *seen = *count;
  delete one;
  delete[] three;
}

__device__ float* kept;
__global__ void keeps(int n) { kept = static_cast<float*>(std::malloc(n * sizeof(float))); }
__global__ void fills() { kept[threadIdx.x] = threadIdx.x; }
__global__ void gives_back(float* out) {
  *out = kept[31];
  ::free(kept);
}

__global__ void asks_for_too_much(int* out) { *out = malloc(size_t(1) << 30) == nullptr; }

/// Each fits beside what is kept, and together they are more than the heap.
__global__ void sizes(int* failed) {
  *failed = 0;
  char* stays = (char*)malloc(1000);
  for (int megabytes = 1; megabytes < 12; ++megabytes) {
    char* p = (char*)malloc(size_t(megabytes) << 20);
    *failed += p == nullptr;
    if (p != nullptr) *p = 1;
    free(p);
  }
  *stays = 1;
  free(stays);
}

__host__ __device__ int on_both() {
  int* p = new int;
  *p = 7;
  const int seven = *p;
  delete p;
  int* q = (int*)malloc(sizeof(int));
  *q = seven;
  const int value = *q;
  free(q);
  return value;
}
__global__ void both(int* out) { *out = on_both(); }

extern "C" int run() {
  size_t bytes = 0;
  EXPECT(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize) == cudaSuccess && bytes == 8u << 20);
  EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20) == cudaSuccess);
  EXPECT(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize) == cudaSuccess && bytes == 16u << 20);

  // More in all than the heap holds: places are used again.
  constexpr int kBlocks = 400, kThreads = 128;
  float *out, *host = new float[kBlocks * kThreads];
  cudaMalloc(&out, kBlocks * kThreads * sizeof(float));
  private_buffers<<<kBlocks, kThreads>>>(out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  cudaMemcpy(host, out, kBlocks * kThreads * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int t = 0; t < kBlocks * kThreads; ++t) {
    const int n = 10 + t % kThreads;
    wrong += host[t] != n * (n - 1) / 2 + 16;
  }
  EXPECT(wrong == 0);
  delete[] host;

  int *counts, seen[2] = {};
  cudaMalloc(&counts, sizeof seen);
  cudaMemset(counts, 0, sizeof seen);
  objects<<<1, 1>>>(counts, counts + 1);
  cudaMemcpy(seen, counts, sizeof seen, cudaMemcpyDeviceToHost);
  EXPECT(seen[0] == 0 && seen[1] == 4);
  asks_for_too_much<<<1, 1>>>(counts);
  both<<<1, 1>>>(counts + 1);
  cudaMemcpy(seen, counts, sizeof seen, cudaMemcpyDeviceToHost);
  EXPECT(seen[0] == 1 && seen[1] == 7 && on_both() == 7);

  // Larger than all that is free in one piece of the size that was asked for before.
  sizes<<<1, 1>>>(counts);
  cudaMemcpy(seen, counts, sizeof seen, cudaMemcpyDeviceToHost);
  EXPECT(seen[0] == 0);

  keeps<<<1, 1>>>(32);
  fills<<<1, 32>>>();
  gives_back<<<1, 1>>>(out);
  float last = 0;
  cudaMemcpy(&last, out, sizeof last, cudaMemcpyDeviceToHost);
  EXPECT(last == 31);
  EXPECT(cudaFree(counts) == cudaSuccess && cudaFree(out) == cudaSuccess);
  return failures;
}
