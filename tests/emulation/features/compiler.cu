// What nvcc knows and g++ does not, helper_cuda.h, parts of cuda_runtime.h that are headers of
// their own, and what a header of Thrust brings along.
#include <channel_descriptor.h>
#include <driver_functions.h>
#include <helper_cuda.h>
#include <sm_20_intrinsics.h>
#include <sm_35_intrinsics.h>
#include <thrust/device_ptr.h>

#include <cstring>

#include "expect.cuh"

__global__ void with_hints(int* x) {
  __builtin_assume(blockDim.x == 32);
  __assume(threadIdx.x < 32);
  int value = threadIdx.x;
  asm volatile("" ::: "memory");
  __asm__ __volatile__("" : "+r"(value) : : "memory");
  asm("");
  x[threadIdx.x] = value;
}

extern "C" int run() {
  EXPECT(make_cudaExtent(3, 4, 5).depth == 5);
  assert(make_cudaPos(3, 4, 5).z == 5);
  int *x, host[32];
  checkCudaErrors(cudaMalloc(&x, sizeof host));
  with_hints<<<1, 32>>>(x);
  getLastCudaError("with_hints");
  checkCudaErrors(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i) EXPECT(host[i] == i);
  checkCudaErrors(cudaFree(x));

  char id[16] = {};
  int device = -1;
  EXPECT(cudaDeviceGetPCIBusId(id, sizeof id, 0) == cudaSuccess);
  EXPECT(std::strlen(id) == 12 && id[4] == ':');
  EXPECT(cudaDeviceGetByPCIBusId(&device, id) == cudaSuccess && device == 0);
  EXPECT(cudaDeviceGetPCIBusId(id, 4, 0) == cudaErrorInvalidValue);
  EXPECT(cudaDeviceGetPCIBusId(id, sizeof id, 1) == cudaErrorInvalidDevice);
  cudaGetLastError();
  EXPECT(std::strcmp(_cudaGetErrorEnum(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
  EXPECT(findCudaDevice(0, nullptr) == 0);
#if defined(__x86_64__) && !defined(__F16C__)
  // Headers choose the processor's conversions of half by this word.
  EXPECT(!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
         !__builtin_cpu_supports("f16c"));
#endif
  return failures;
}
