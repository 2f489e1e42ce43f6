// Plain accesses to global memory beside atomic operations of other threads, with nothing between.
#include <cuda_fp16.h>

constexpr int kBlocks = 4, kThreads = 64;

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void set_by_one(float* sum) {
  if (number() == 0) *sum = 0;  // set by one
  atomicAdd(sum, 1.0f);
}
__global__ void set_before_a_barrier(float* sum) {
  if (number() == 0) *sum = 0;  // before a barrier
  __syncthreads();
  atomicAdd(sum, 1.0f);
}
__global__ void set_before_a_fence(float* sum) {
  if (number() == 0) {
    *sum = 0;  // before a fence
    __threadfence();
  }
  atomicAdd(sum, 1.0f);
}
__global__ void set_by_one_that_adds_nothing(int* sum) {
  if (number() == 0)
    *sum = 0;  // adds nothing
  else
    atomicAdd(sum, 1);
}
__global__ void cleared_by_first_user(int* bins) {
  if (number() < 8) bins[number()] = 0;  // by its first user
  atomicAdd(&bins[number() % 8], 1);
}
__global__ void set_late(int* sum) {
  atomicAdd(sum, 1);
  if (number() == kBlocks * kThreads - 1) *sum = 0;  // late
}
__global__ void added_plainly(float* sum) {
  if (number() == 70) {
    *sum = *sum + 1;  // added plainly
  } else {
    atomicAdd(sum, 1.0f);
  }
}
__global__ void read_by_the_last_block(float* sum, float* mean) {
  atomicAdd(sum, 1.0f);
  __syncthreads();
  if (number() == (kBlocks - 1) * kThreads) *mean = *sum / kBlocks;  // without a fence
}
__global__ void high_half_set(unsigned long long* sum) {
  if (number() == 0) reinterpret_cast<unsigned*>(sum)[1] = 0;  // the high half
  atomicAdd(sum, 1ull);
}
__global__ void narrow_set(half* sums) {
  if (number() == 0) sums[1] = __float2half(0);  // two bytes
  atomicAdd(&sums[1], __float2half(1));
}
__device__ int total;
__global__ void variable_set() {
  if (number() == 0) total = 0;  // a variable
  atomicAdd(&total, 1);
}
__global__ void slot_read_plainly(int* count, int* out) {
  const int slot = *count;  // the slot
  atomicAdd(count, 1);
  out[slot] = number();
}
__global__ void of_blocks_alone(int* sum) {
  atomicAdd_block(sum, 1);  // within blocks
}

extern "C" int run() {
  void* memory;
  cudaMalloc(&memory, 4096);
  auto* const sums = static_cast<float*>(memory);
  auto* const counts = static_cast<int*>(memory);
  const auto start = [&] { cudaMemset(memory, 0, 4096); };
  start(), set_by_one<<<kBlocks, kThreads>>>(sums);
  start(), set_before_a_barrier<<<kBlocks, kThreads>>>(sums);
  start(), set_before_a_fence<<<kBlocks, kThreads>>>(sums);
  start(), set_by_one_that_adds_nothing<<<kBlocks, kThreads>>>(counts);
  start(), cleared_by_first_user<<<kBlocks, kThreads>>>(counts);
  start(), set_late<<<kBlocks, kThreads>>>(counts);
  start(), added_plainly<<<kBlocks, kThreads>>>(sums);
  start(), read_by_the_last_block<<<kBlocks, kThreads>>>(sums, sums + 1);
  start(), high_half_set<<<kBlocks, kThreads>>>(static_cast<unsigned long long*>(memory));
  start(), narrow_set<<<kBlocks, kThreads>>>(static_cast<half*>(memory));
  variable_set<<<kBlocks, kThreads>>>();
  start(), slot_read_plainly<<<kBlocks, kThreads>>>(counts, counts + 1);
  start(), of_blocks_alone<<<kBlocks, kThreads>>>(counts);
  cudaDeviceSynchronize();
  cudaFree(memory);
  return 0;
}
