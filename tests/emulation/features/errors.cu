// Error names and texts, limits of launches, and how errors stay.
#include <cstring>

#include "expect.cuh"

__global__ void one(int* x) { x[0] = 1; }
__global__ void dynamic(int* x) {
  extern __shared__ int s[];
  s[threadIdx.x] = 1;
  x[0] = s[threadIdx.x];
}
__global__ void trap() { __trap(); }

static cudaError_t launch(dim3 grid, dim3 block, size_t shared, int* x) {
  dynamic<<<grid, block, shared>>>(x);
  return cudaGetLastError();
}

extern "C" int run() {
  EXPECT(strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                "an illegal memory access was encountered") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                "invalid configuration argument") == 0);
  EXPECT(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
  EXPECT(strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code") == 0);
  int* x;
  cudaMalloc(&x, 4096);
  EXPECT(launch(1, 1024, 4096, x) == cudaSuccess);
  EXPECT(launch(1, 1025, 0, x) == cudaErrorInvalidConfiguration);
  EXPECT(launch(1, dim3(1, 1, 65), 0, x) == cudaErrorInvalidConfiguration);
  EXPECT(launch(1, dim3(32, 33), 0, x) == cudaErrorInvalidConfiguration);
  EXPECT(launch(1, 0, 0, x) == cudaErrorInvalidConfiguration);
  EXPECT(launch(0, 1, 0, x) == cudaErrorInvalidConfiguration);
  EXPECT(launch(dim3(1, 65536), 1, 0, x) == cudaErrorInvalidConfiguration);
  EXPECT(launch(1, 1, 48 * 1024, x) == cudaSuccess);
  EXPECT(launch(1, 1, 48 * 1024 + 1, x) == cudaErrorInvalidValue);
  EXPECT(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024) ==
         cudaSuccess);
  EXPECT(launch(1, 1, 227 * 1024, x) == cudaSuccess);
  EXPECT(cudaFuncSetAttribute((const void*)dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              228 * 1024) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  cudaFuncAttributes attributes;
  EXPECT(cudaFuncGetAttributes(&attributes, dynamic) == cudaSuccess &&
         attributes.maxDynamicSharedSizeBytes == 227 * 1024);

  void* arguments[] = {&x};
  EXPECT(cudaLaunchCooperativeKernel((void*)one, 132 * 2 + 1, 1024, arguments) ==
         cudaErrorCooperativeLaunchTooLarge);
  EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  EXPECT(cudaLaunchCooperativeKernel((void*)one, 1, 32, arguments) == cudaSuccess);

  one<<<1, 2000>>>(x);  // a refused launch does not spoil what follows
  one<<<1, 1>>>(x);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaMalloc((void**)nullptr, 4) == cudaErrorInvalidValue);
  void* huge = nullptr;
  EXPECT(cudaMalloc(&huge, (size_t)1 << 60) == cudaErrorMemoryAllocation && huge == nullptr);
  EXPECT(cudaMemcpy(x, &huge, 8, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaFree(x + 1) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  EXPECT(cudaEventRecord(nullptr) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
  cudaGetLastError();

  trap<<<1, 1>>>();  // an error of a running kernel stays for good
  EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  EXPECT(cudaGetLastError() == cudaErrorLaunchFailure);
  EXPECT(cudaMalloc(&huge, 4) == cudaErrorLaunchFailure);
  EXPECT(cudaFree(x) == cudaErrorLaunchFailure);
  one<<<1, 1>>>(x);
  EXPECT(cudaGetLastError() == cudaErrorLaunchFailure);
  return failures;
}
