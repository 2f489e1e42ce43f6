// Sums whose rounding depends on the order of the blocks: prints the same on any number of threads.
#include <cstdio>

__global__ void sums(float* out, int* order) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 1.0f / (i + 1);
  for (int k = 0; k < 50 + (int)(blockIdx.x * 37 % 200); ++k) v = v * 1.0001f + 1e-6f;
  atomicAdd(out, v);
  if (threadIdx.x == 0) order[blockIdx.x] = atomicAdd(order + gridDim.x, 1);
}

// The last lane finds the others of its warp waiting, goes on and is the first at the barrier.
__global__ void turns(int* turn, int* number) {
  __syncwarp();
  __syncthreads();
  turn[threadIdx.x] = atomicAdd(number, 1);
}

int out_of_turn() {
  int host[96], count = 0, *turn, *number;
  cudaMalloc(&turn, sizeof host);
  cudaMalloc(&number, sizeof *number);
  cudaMemset(number, 0, sizeof *number);
  turns<<<1, 96>>>(turn, number);
  cudaMemcpy(host, turn, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 96; ++i) count += host[i] != i;
  cudaFree(turn);
  cudaFree(number);
  return count;
}

extern "C" int run() {
  const int blocks = 500;
  static int order[blocks + 1];
  float sum = 0, *out;
  int* device_order;
  cudaMalloc(&out, sizeof sum);
  cudaMalloc(&device_order, sizeof order);
  cudaMemset(out, 0, sizeof sum);
  cudaMemset(device_order, 0, sizeof order);
  sums<<<blocks, 64>>>(out, device_order);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  cudaMemcpy(order, device_order, sizeof order, cudaMemcpyDeviceToHost);
  int turned = 0;
  for (int i = 0; i < blocks; ++i) turned += order[i] != i;
  turned += out_of_turn();
  std::printf("sum %a, %d blocks or threads out of order\n", sum, turned);
  cudaFree(out);
  cudaFree(device_order);
  return turned;
}
