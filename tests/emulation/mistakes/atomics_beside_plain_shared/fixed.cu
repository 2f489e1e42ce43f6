// Plain accesses and atomic operations in shared memory that something orders.
constexpr int kBlocks = 2, kThreads = 64;

__global__ void set_before_a_barrier(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1.0f);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void set_in_the_warp(int* out) {
  __shared__ int sum[2];
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 5) sum[warp] = 0;
  __syncwarp();
  atomicAdd(&sum[warp], 1);
  __syncwarp();
  if (threadIdx.x % 32 == 7) out[warp] = sum[warp];
}
__global__ void bins_in_rounds(int* out) {
  __shared__ int bins[8];
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
  }
}
__global__ void most(int* out) {
  __shared__ int most;
  if (threadIdx.x == 0) most = -1;
  __syncthreads();
  if ((int)threadIdx.x > most) atomicMax(&most, (int)threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = most;
}
__global__ void bytes_of_their_own(int* out) {
  __shared__ unsigned char bytes[8];
  __shared__ unsigned flags;
  if (threadIdx.x == 0) flags = 0;
  if (threadIdx.x < 8) bytes[threadIdx.x] = 1;
  __syncthreads();
  atomicOr(&flags, 1u << threadIdx.x % 32);
  if (threadIdx.x < 8) bytes[threadIdx.x] += 1;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = flags + bytes[5];
}
__global__ void lock(int* out) {
  __shared__ int mutex, counter;
  if (threadIdx.x == 0) mutex = counter = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicExch(&mutex, 1) == 0) {
      counter += 1;
      __threadfence_block();
      atomicExch(&mutex, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = counter;
}
// The first warp hands a value over to the second one, by a flag.
__global__ void flag(int* out) {
  __shared__ int value;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 42;
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x == 32) {
    while (ready == 0) {
    }
    __threadfence_block();
    out[blockIdx.x] = value;
  }
}
__global__ void ticket_in_the_block(int* out) {
  __shared__ int parts[2], tickets;
  if (threadIdx.x == 0) tickets = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    parts[threadIdx.x / 32] = 1;
    __threadfence_block();
    if (atomicAdd(&tickets, 1) == 1) out[blockIdx.x] = parts[0] + parts[1];
  }
}

extern "C" int run() {
  float* sums;
  int* out;
  cudaMalloc(&sums, kBlocks * sizeof(float));
  cudaMalloc(&out, kThreads * sizeof(int));
  set_before_a_barrier<<<kBlocks, kThreads>>>(sums);
  set_in_the_warp<<<1, kThreads>>>(out);
  bins_in_rounds<<<1, kThreads>>>(out);
  most<<<kBlocks, kThreads>>>(out);
  bytes_of_their_own<<<kBlocks, kThreads>>>(out);
  lock<<<kBlocks, kThreads>>>(out);
  flag<<<kBlocks, kThreads>>>(out);
  ticket_in_the_block<<<kBlocks, kThreads>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(sums);
  return 0;
}
