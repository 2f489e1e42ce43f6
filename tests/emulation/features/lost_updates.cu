// Wrong sums, which are right as long as one block runs after the other and one thread after the
// other: an exchange puts its value over another one's. Returns how many of them are wrong.
#include <cuda_runtime.h>

constexpr int kBlocks = 17, kThreads = 64;

__global__ void by_atomic_reads(int* sums) {
  const int old = atomicAdd(&sums[threadIdx.x], 0);
  atomicExch(&sums[threadIdx.x], old + 1);  // of blocks
}
__global__ void by_plain_reads(int* sums) {
  atomicExch(&sums[threadIdx.x], sums[threadIdx.x] + 1);  // of blocks, read plainly
}
__global__ void within_a_block(int* sums) {
  __shared__ float count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicExch(&count, atomicAdd(&count, 0.0f) + 1);  // of threads
  __syncthreads();
  atomicAdd(&sums[threadIdx.x], count == kThreads);
}

__global__ void swapped_once(int* sums) {
  const int old = sums[threadIdx.x];
  atomicCAS(&sums[threadIdx.x], old, old + 1);  // whose success nobody looks at
}

extern "C" int run() {
  int wrong = 0, host[kThreads];
  int* sums;
  cudaMalloc(&sums, sizeof host);
  for (const auto kernel : {by_atomic_reads, by_plain_reads, within_a_block, swapped_once}) {
    cudaMemset(sums, 0, sizeof host);
    kernel<<<kBlocks, kThreads>>>(sums);
    cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
    bool right = true;
    for (const int sum : host) right = right && sum == kBlocks;
    wrong += right ? 0 : 1;
  }
  cudaFree(sums);
  return wrong;
}
