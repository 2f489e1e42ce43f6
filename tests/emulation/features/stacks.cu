// As many threads at a barrier as a block may have, in blocks for every host thread.
#include "expect.cuh"

__global__ void wait_together(int* sums) {
  __shared__ int values[1024];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(&sums[blockIdx.x], values[1023 - threadIdx.x]);
}

extern "C" int run() {
  constexpr int kBlocks = 64;
  int* sums = nullptr;
  cudaMalloc(&sums, kBlocks * sizeof(int));
  cudaMemset(sums, 0, kBlocks * sizeof(int));
  wait_together<<<kBlocks, 1024>>>(sums);
  int host[kBlocks];
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
  for (int sum : host) EXPECT(sum == 1023 * 1024 / 2);
  cudaFree(sums);
  return failures;
}
