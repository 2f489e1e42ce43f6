// Atomic operations on all types, in shared and global memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "expect.cuh"

template <class T>
__global__ void integers(T* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&out[0], (T)1);
  if constexpr (sizeof(T) == 4) {
    atomicSub(&out[1], (T)1);
  } else {
    atomicAdd(&out[1], (T)-1);  // CUDA has no difference of 64 bits
  }
  atomicMin(&out[2], (T)t);
  atomicMax(&out[3], (T)t);
  atomicAnd(&out[4], (T) ~(1 << t % 8));
  atomicOr(&out[5], (T)1 << t % 8);
  atomicXor(&out[6], (T)1 << t % 8);
  T old = out[7], assumed;
  do {
    assumed = old;
    old = atomicCAS(&out[7], assumed, assumed + 2);
  } while (old != assumed);
}

__global__ void counters(unsigned* out) {
  atomicInc(&out[0], 9);
  atomicDec(&out[1], 9);
  if (threadIdx.x == 7) out[2] = atomicExch(&out[3], 5u);
}

template <class T>
__global__ void sums(T* out) {
  __shared__ T own;
  if (threadIdx.x == 0) own = T(0.0f);
  __syncthreads();
  atomicAdd(&own, T(1.0f));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, own);
}

__global__ void vectors(float2* two, float4* four) {
  const float2 old = atomicAdd(two, make_float2(1, 2));
  if (blockDim.x == 1) two[1] = old;
  atomicAdd(four, make_float4(1, 2, 3, 4));
}

__global__ void pairs(half2* out) { atomicAdd(out, __floats2half2_rn(1.0f, 2.0f)); }

template <class T>
void check_integers() {
  T host[8] = {0, 100, (T)1000, 0, (T)0x7f, 0, 0, 0}, *out;
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(out, host, sizeof host, cudaMemcpyHostToDevice);
  integers<<<4, 8>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 32 && host[1] == 68 && host[2] == 0 && host[3] == 31);
  EXPECT(host[4] == 0 && host[5] == 0xff && host[6] == 0 && host[7] == 64);
  cudaFree(out);
}

template <class T>
void check_sums(float want) {
  T* out;
  cudaMalloc(&out, sizeof(T));
  const T zero(0.0f);
  T host;
  cudaMemcpy(out, &zero, sizeof(T), cudaMemcpyHostToDevice);
  sums<T><<<10, 20>>>(out);
  cudaMemcpy(&host, out, sizeof(T), cudaMemcpyDeviceToHost);
  EXPECT((float)host == want);
  cudaFree(out);
}

void check_vectors() {
  float2 two[2] = {{0.5f, 0}, {}}, *device_two;
  float4 four = {}, *device_four;
  cudaMalloc(&device_two, sizeof two);
  cudaMalloc(&device_four, sizeof four);
  cudaMemcpy(device_two, two, sizeof two, cudaMemcpyHostToDevice);
  cudaMemcpy(device_four, &four, sizeof four, cudaMemcpyHostToDevice);
  vectors<<<1, 1>>>(device_two, device_four);
  vectors<<<1, 7>>>(device_two, device_four);
  cudaMemcpy(two, device_two, sizeof two, cudaMemcpyDeviceToHost);
  cudaMemcpy(&four, device_four, sizeof four, cudaMemcpyDeviceToHost);
  EXPECT(two[0].x == 8.5f && two[0].y == 16 && two[1].x == 0.5f && two[1].y == 0);
  EXPECT(four.x == 8 && four.y == 16 && four.z == 24 && four.w == 32);
  cudaFree(device_two);
  cudaFree(device_four);
}

extern "C" int run() {
  check_vectors();
  check_integers<int>();
  check_integers<unsigned>();
  check_integers<unsigned long long>();
  check_sums<float>(200);
  check_sums<double>(200);
  check_sums<half>(200);
  check_sums<__nv_bfloat16>(200);
  unsigned host[4] = {0, 3, 0, 8}, *out;
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(out, host, sizeof host, cudaMemcpyHostToDevice);
  counters<<<1, 25>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 5 && host[1] == 8 && host[2] == 8 && host[3] == 5);
  half2 pair = __floats2half2_rn(0.0f, 0.0f), *sum;
  cudaMalloc(&sum, sizeof pair);
  cudaMemcpy(sum, &pair, sizeof pair, cudaMemcpyHostToDevice);
  pairs<<<2, 8>>>(sum);
  cudaMemcpy(&pair, sum, sizeof pair, cudaMemcpyDeviceToHost);
  EXPECT(__low2float(pair) == 16.0f && __high2float(pair) == 32.0f);
  cudaFree(out);
  cudaFree(sum);
  return failures;
}
