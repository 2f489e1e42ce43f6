// Plain accesses and atomic operations that something orders, and plain reads that only decide
// whether to try an atomic operation.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

constexpr int kBlocks = 4, kThreads = 64;

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void set(float* sum) { *sum = -1; }
__global__ void add(float* sum) { atomicAdd(sum, 1.0f); }

__global__ void grid_in_step(int* sum, int* out) {
  if (number() == 0) *sum = 0;
  cooperative_groups::this_grid().sync();
  atomicAdd(sum, 1);
  cooperative_groups::this_grid().sync();
  out[number()] = *sum;
}
__global__ void private_bins(int* bins) {
  __shared__ int own[8];
  if (threadIdx.x < 8) own[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&own[threadIdx.x % 8], 1);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
__global__ void slots(int* count, int* out) { out[atomicAdd(count, 1)] = number(); }
__global__ void neighbours(half* sums) {
  if (number() == 0) sums[1] = __float2half(1);
  atomicAdd(&sums[2 + threadIdx.x % 2], __float2half(1));
}
__global__ void sums_of_blocks(int* sums) {
  if (threadIdx.x == 0) sums[blockIdx.x] = 0;
  __syncthreads();
  atomicAdd_block(&sums[blockIdx.x], 1);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] *= 2;
}

// The last block adds up what the others wrote before a fence and a ticket, and takes the tickets
// back.
__global__ void last_block_done(float* parts, float* sum, unsigned* tickets) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = kThreads;
    __threadfence();
    last = atomicInc(tickets, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += parts[b];
    *sum = all;
    *tickets = 0;
  }
}
__global__ void last_block_reads_a_sum(float* sum, float* mean, int* tickets) {
  __shared__ bool last;
  atomicAdd(sum, 1.0f);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(tickets, 1) == kBlocks - 1;
  __syncthreads();
  if (last && threadIdx.x == 5) *mean = *sum / kBlocks;
}
// Each block waits for the flag of the one before it.
__global__ void scan_in_turn(int* sums, int* flags, int* begun) {
  __shared__ int mine;
  if (threadIdx.x == 0) {
    mine = atomicAdd(begun, 1);
    if (mine > 0) {
      while (((volatile int*)flags)[mine - 1] == 0) {
      }
      __threadfence();
    }
    sums[mine] = (mine > 0 ? ((volatile int*)sums)[mine - 1] : 0) + 1;
    __threadfence();
    if (mine % 2 == 0)
      atomicExch(&flags[mine], 1);
    else
      ((volatile int*)flags)[mine] = 1;
  }
  __syncthreads();
}
__global__ void flags_polled_by_atomics(int* sums, int* flags) {
  if (threadIdx.x != 0) return;
  const unsigned b = blockIdx.x;
  while (b > 0 && atomicAdd(&flags[b - 1], 0) == 0) {
  }
  sums[b] = (b > 0 ? sums[b - 1] : 0) + 1;
  __threadfence();
  flags[b] = 1;
}
// The last block waits for a counter of all blocks.
__global__ void counted_blocks(int* parts, int* count, int* sum) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = 1;
  __threadfence();
  if (blockIdx.x != gridDim.x - 1) {
    atomicAdd(count, 1);
    return;
  }
  while (*(volatile int*)count < kBlocks - 1) {
  }
  for (int b = 0; b < kBlocks; ++b) *sum += parts[b];
}
__global__ void lock(int* counter, int* mutex) {
  bool done = false;
  while (!done) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      *counter = *counter + 1;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
}
__global__ void lock_tried_after_a_look(int* counter, int* mutex) {
  while (*(volatile int*)mutex != 0 || atomicExch(mutex, 1) != 0) {
  }
  *counter = *counter + 1;
  __threadfence();
  *(volatile int*)mutex = 0;
}
__global__ void lock_of_warps(int* counter, int* mutex) {
  if (threadIdx.x % 32 == 0)
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
  __syncwarp();
  if (threadIdx.x % 32 == 7) *counter = *counter + 1;
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    __threadfence();
    atomicExch(mutex, 0);
  }
}

__device__ void raise(float* most, float value) {
  int* const bits = reinterpret_cast<int*>(most);
  int old = *bits;
  while (value > __int_as_float(old)) {
    const int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
}
__global__ void rises(float* most) { raise(most, number() % 50); }
__global__ void rises_late(float* most) { raise(most, number() < 7 ? -1 : number()); }
__global__ void rises_after_a_look(int* most) {
  if (number() > *most) atomicMax(most, number());
}
__global__ void falls(int* least) {
  const int mine = kBlocks * kThreads - number();
  if (*least > mine) atomicMin(least, mine);
}
__device__ void add_double(double* sum, double value) {
  auto* const bits = reinterpret_cast<unsigned long long*>(sum);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
}
__global__ void doubles(double* sum) { add_double(sum, 1); }
__global__ void visits(int* visited, int* found) {
  int* const mine = &visited[threadIdx.x / 2];
  if (*mine == 0 && atomicExch(mine, 1) == 0) atomicAdd(found, 1);
}
__global__ void levels(int* level, int* found) {
  int* const mine = &level[threadIdx.x / 4];
  if (*mine == 0) {
    if (atomicCAS(mine, 0, 3) == 0) atomicAdd(found, 1);
  }
}
__global__ void raised_flag(int* any) {
  if (number() % 3 == 0 && !*any) atomicOr(any, 1);
}

extern "C" int run() {
  void* memory;
  cudaMalloc(&memory, 4096);
  auto* const sums = static_cast<float*>(memory);
  auto* const counts = static_cast<int*>(memory);
  const auto start = [&](int byte = 0) { cudaMemset(memory, byte, 4096); };
  start(), set<<<1, 1>>>(sums), add<<<kBlocks, kThreads>>>(sums);
  int* out = counts + 1;
  void* arguments[] = {&memory, &out};
  cudaLaunchCooperativeKernel((void*)grid_in_step, kBlocks, kThreads, arguments, 0, nullptr);
  start(), private_bins<<<kBlocks, kThreads>>>(counts);
  start(), slots<<<kBlocks, kThreads>>>(counts, out);
  start(), neighbours<<<kBlocks, kThreads>>>(static_cast<half*>(memory));
  start(), sums_of_blocks<<<kBlocks, kThreads>>>(counts);
  for (int i = 0; i < 2; ++i)
    last_block_done<<<kBlocks, kThreads>>>(sums + 2, sums + 1, (unsigned*)memory + 512);
  start(), last_block_reads_a_sum<<<kBlocks, kThreads>>>(sums, sums + 1, counts + 2);
  start(), scan_in_turn<<<kBlocks, kThreads>>>(counts, counts + 100, counts + 200);
  start(), flags_polled_by_atomics<<<kBlocks, kThreads>>>(counts, counts + 100);
  start(), counted_blocks<<<kBlocks, kThreads>>>(counts, counts + 100, counts + 200);
  start(), lock<<<kBlocks, kThreads>>>(counts, counts + 1);
  start(), lock_tried_after_a_look<<<kBlocks, kThreads>>>(counts, counts + 1);
  start(), lock_of_warps<<<kBlocks, kThreads>>>(counts, counts + 1);
  start(), rises<<<kBlocks, kThreads>>>(sums);
  start(), rises_late<<<kBlocks, kThreads>>>(sums);
  start(), rises_after_a_look<<<kBlocks, kThreads>>>(counts);
  start(1), falls<<<kBlocks, kThreads>>>(counts);
  start(), doubles<<<kBlocks, kThreads>>>(static_cast<double*>(memory));
  start(), visits<<<kBlocks, kThreads>>>(counts, counts + 500);
  start(), levels<<<kBlocks, kThreads>>>(counts, counts + 500);
  start(), raised_flag<<<kBlocks, kThreads>>>(counts);
  cudaDeviceSynchronize();
  cudaFree(memory);
  return 0;
}
