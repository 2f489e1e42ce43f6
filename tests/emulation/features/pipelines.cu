// Asynchronous copies: cuda_pipeline.h, cuda/barrier and cuda/pipeline.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

#include "expect.cuh"

namespace cg = cooperative_groups;
constexpr int kThreads = 64;

__global__ void primitives(const float4* from, float* to) {
  __shared__ float4 tile[2][kThreads];
  __pipeline_memcpy_async(&tile[0][threadIdx.x], &from[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  for (int stage = 0; stage < 2; ++stage) {
    __pipeline_memcpy_async(&tile[1 - stage][threadIdx.x], &from[threadIdx.x], sizeof(float4), 8);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float4 v = tile[stage][kThreads - 1 - threadIdx.x];
    to[stage * kThreads + threadIdx.x] = v.x + v.y + v.z + v.w;
    __syncthreads();
  }
}

__global__ void barriers(const float* from, float* to) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  __shared__ float tile[kThreads];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, from, sizeof(float) * kThreads, bar);
  bar.arrive_and_wait();
  to[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
  auto token = bar.arrive();
  bar.wait(std::move(token));
  cuda::memcpy_async(&tile[threadIdx.x], &from[0], sizeof(float), bar);
  bar.arrive_and_wait();
  to[kThreads + threadIdx.x] = tile[(threadIdx.x + 1) % kThreads];
}

__global__ void pipelines(const float* from, float* to) {
  __shared__ float tile[2][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int stage = 0; stage < 2; ++stage) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, tile[stage], from, sizeof(float) * kThreads, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    to[stage * kThreads + threadIdx.x] = tile[stage][kThreads - 1 - threadIdx.x];
    pipe.consumer_release();
  }
}

extern "C" int run() {
  float host[4 * kThreads], *from, *to;
  for (int i = 0; i < 4 * kThreads; ++i) host[i] = i;
  cudaMalloc(&from, sizeof host);
  cudaMalloc(&to, sizeof host);
  cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
  primitives<<<1, kThreads>>>((const float4*)from, to);
  cudaMemcpy(host, to, 2 * kThreads * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i) {
    const int first = 4 * (kThreads - 1 - i);
    EXPECT(host[i] == 4 * first + 6);
    EXPECT(host[kThreads + i] == 2 * first + 1);
  }
  barriers<<<1, kThreads>>>(from, to);
  cudaMemcpy(host, to, 2 * kThreads * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i) EXPECT(host[i] == kThreads - 1 - i && host[kThreads + i] == 0);
  pipelines<<<1, kThreads>>>(from, to);
  cudaMemcpy(host, to, 2 * kThreads * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 2 * kThreads; ++i) EXPECT(host[i] == kThreads - 1 - i % kThreads);
  cudaFree(from);
  cudaFree(to);
  return failures;
}
