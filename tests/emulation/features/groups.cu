// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "expect.cuh"

namespace cg = cooperative_groups;

__global__ void tiles(int* out) {
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);
  int v = eight.thread_rank();
  for (int step = eight.size() / 2; step > 0; step /= 2) v += eight.shfl_down(v, step);
  v = eight.shfl(v, 0);
  const int sum = cg::reduce(warp, (int)warp.thread_rank(), cg::plus<int>());
  const int most = cg::reduce(eight, (int)block.thread_rank(), cg::greater<int>());
  const int before = cg::exclusive_scan(eight, 2);
  block.sync();
  cg::sync(warp);
  out[block.thread_rank()] = v * 1000000 + sum * 1000 + most - (int)block.thread_rank() +
                             (int)eight.meta_group_rank() * 0 + before * 0;
  out[64 + block.thread_rank()] = before;
}

__global__ void with_memory_of_tiles(int* out) {
  __shared__ cg::block_tile_memory<> memory;
  __shared__ cg::block_tile_memory<64> small;
  cg::thread_block block = cg::this_thread_block(memory);
  out[block.thread_rank()] = (int)(block.size() + cg::this_thread_block(small).size());
}

__global__ void some_lanes(int* out, int* counter) {
  if (threadIdx.x % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) first = atomicAdd(counter, (int)active.size());
    out[threadIdx.x] = active.shfl(first, 0) + (int)active.thread_rank();
  }
}

__global__ void one_block_grid(int* out) {
  cg::grid_group grid = cg::this_grid();
  out[grid.thread_rank()] = 1;
  grid.sync();
  if (grid.thread_rank() == 0) {
    for (unsigned i = 1; i < grid.size(); ++i) out[0] += out[i];
  }
}

/// Every block adds up its neighbour's values: what it wrote before grid.sync(), others read behind
/// it.
__global__ void many_blocks(int* values, int* sums, int rounds) {
  __shared__ int own;
  extern __shared__ int kept[];
  cg::grid_group grid = cg::this_grid();
  const unsigned next = (blockIdx.x + 1) % gridDim.x;
  if (threadIdx.x == 0) own = blockIdx.x;
  kept[threadIdx.x] = 0;
  for (int round = 0; round < rounds; ++round) {
    values[grid.thread_rank()] = round + threadIdx.x;
    grid.sync();
    kept[threadIdx.x] += values[next * blockDim.x + threadIdx.x];
    grid.sync();
  }
  atomicAdd(&sums[own], kept[threadIdx.x]);
}

__global__ void ends_early(int* x) {
  if (threadIdx.x > 3) return;
  cg::this_grid().sync();
  x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

extern "C" int run() {
  int host[128], *out;
  cudaMalloc(&out, sizeof host);
  tiles<<<1, 64>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 64; t += 9) {
    EXPECT(host[t] == 28 * 1000000 + 496 * 1000 + 7 - t % 8);
    EXPECT(host[64 + t] == t % 8 * 2);
  }
  with_memory_of_tiles<<<1, 64>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 128 && host[63] == 128);
  cudaMemset(out, 0, sizeof host);
  some_lanes<<<1, 32>>>(out, out + 100);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[100] == 11 && host[0] == 0 && host[3] == 1 && host[30] == 10 && host[31] == 0);
  void* arguments[] = {&out};
  EXPECT(cudaLaunchCooperativeKernel((void*)one_block_grid, 1, 100, arguments) == cudaSuccess);
  cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 100);

  constexpr int kBlocks = 20, kThreads = 48, kRounds = 5;
  int *values, *sums, all[kBlocks], rounds = kRounds;
  cudaMalloc(&values, kBlocks * kThreads * sizeof(int));
  cudaMalloc(&sums, sizeof all);
  for (int launch = 0; launch < 2; ++launch) {
    cudaMemset(sums, 0, sizeof all);
    void* list[] = {&values, &sums, &rounds};
    EXPECT(cudaLaunchCooperativeKernel((void*)many_blocks, kBlocks, kThreads, list,
                                       kThreads * sizeof(int)) == cudaSuccess);
    EXPECT(cudaMemcpy(all, sums, sizeof all, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int sum : all)
      EXPECT(sum ==
             kThreads * kRounds * (kRounds - 1) / 2 + kRounds * kThreads * (kThreads - 1) / 2);
  }
  void* one[] = {&values};
  EXPECT(cudaLaunchCooperativeKernel((void*)ends_early, 3, 8, one) == cudaSuccess);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  cudaFree(values);
  cudaFree(sums);
  cudaFree(out);
  return failures;
}
