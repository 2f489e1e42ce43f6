// Plain accesses to shared memory beside atomic operations of other threads, with no barrier
// between.
constexpr int kBlocks = 2, kThreads = 64;

__global__ void set_by_one(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;  // set by one
  atomicAdd(&sum, 1.0f);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void set_by_another_warp(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 33) sum = 0;  // by another warp
  __syncwarp();
  atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void set_in_the_warp(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;  // in the warp
  if (threadIdx.x < 32) atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void set_before_a_warp_barrier(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;  // before a warp's barrier
  __syncwarp();
  atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void set_before_a_fence(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;  // before a fence
  __threadfence_block();
  atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void bins_cleared(int* out) {
  __shared__ int bins[kThreads];
  bins[threadIdx.x] = 0;  // bins cleared
  atomicAdd(&bins[threadIdx.x / 2], 1);
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x];
}
__global__ void bins_cleared_again(int* out) {
  __shared__ int bins[8];
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;  // cleared again
    if (round == 0) __syncthreads();
    atomicAdd(&bins[threadIdx.x % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
    __syncthreads();
  }
}
__global__ void smallest_yet(int* out) {
  __shared__ int most;
  if (threadIdx.x == 0) most = -1;  // smallest yet
  if ((int)threadIdx.x > most) atomicMax(&most, (int)threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = most;
}
__global__ void added_plainly(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x == 5)
    sum += 1;  // added plainly
  else
    atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void read_early(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;  // read early
}
__global__ void read_by_the_last(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  __threadfence_block();
  if (threadIdx.x == kThreads - 1) out[blockIdx.x] = sum;  // by the last thread
}
__global__ void byte_beside(int* out) {
  __shared__ unsigned flags;
  if (threadIdx.x == 0) flags = 0;
  __syncthreads();
  if (threadIdx.x == 9)
    reinterpret_cast<unsigned char*>(&flags)[1] = 1;  // a byte
  else
    atomicOr(&flags, 1u << threadIdx.x % 32);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = flags;
}

extern "C" int run() {
  float* sums;
  int* out;
  cudaMalloc(&sums, kBlocks * sizeof(float));
  cudaMalloc(&out, kThreads * sizeof(int));
  set_by_one<<<kBlocks, kThreads>>>(sums);
  set_by_another_warp<<<kBlocks, kThreads>>>(out);
  set_in_the_warp<<<kBlocks, kThreads>>>(out);
  set_before_a_warp_barrier<<<kBlocks, kThreads>>>(out);
  set_before_a_fence<<<kBlocks, kThreads>>>(out);
  bins_cleared<<<1, kThreads>>>(out);
  bins_cleared_again<<<1, kThreads>>>(out);
  smallest_yet<<<kBlocks, kThreads>>>(out);
  added_plainly<<<kBlocks, kThreads>>>(out);
  read_early<<<kBlocks, kThreads>>>(out);
  read_by_the_last<<<kBlocks, kThreads>>>(out);
  byte_beside<<<kBlocks, kThreads>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(sums);
  return 0;
}
