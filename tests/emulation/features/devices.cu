// Two devices: memory, variables, streams and events of each, copies between them, peer access.
// Run with OPGRADE_EMULATION_DEVICES=2.
#include <cuda_runtime.h>

#include <cstring>
#include <thread>

#include "expect.cuh"

__constant__ int added = 1;
__device__ int launches;

__global__ void add(int* x) {
  x[threadIdx.x] += added;
  if (threadIdx.x == 0) launches += 1;
}
__global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void allocate(int** kept) { *kept = new int(7); }
__global__ void read(int** kept, int* to) {
  *to = **kept;
  delete *kept;
}
__global__ void which(int* device, int* count) {
  cudaGetDevice(device);
  cudaGetDeviceCount(count);
}

int value(const int* device) {
  int x = -1;
  EXPECT(cudaMemcpy(&x, device, sizeof x, cudaMemcpyDefault) == cudaSuccess);
  return x;
}

void work_on(int device, int* to) {
  EXPECT(cudaSetDevice(device) == cudaSuccess);
  int* x;
  EXPECT(cudaMalloc(&x, 32 * sizeof(int)) == cudaSuccess);
  for (int i = 0; i < 50; ++i) {
    int ones[32];
    for (int& one : ones) one = i;
    EXPECT(cudaMemcpy(x, ones, sizeof ones, cudaMemcpyHostToDevice) == cudaSuccess);
    add<<<1, 32>>>(x);
    *to += value(x);
  }
  EXPECT(cudaFree(x) == cudaSuccess);
}

extern "C" int run() {
  int count = 0, device = -1, can = -1;
  EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && count == 2);
  EXPECT(cudaGetDevice(&device) == cudaSuccess && device == 0);
  EXPECT(cudaSetDevice(2) == cudaErrorInvalidDevice && cudaSetDevice(-1) == cudaErrorInvalidDevice);
  EXPECT(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess && can == 1);
  EXPECT(cudaDeviceCanAccessPeer(&can, 1, 1) == cudaSuccess && can == 0);
  EXPECT(cudaDeviceCanAccessPeer(&can, 0, 2) == cudaErrorInvalidDevice);
  cudaGetLastError();

  int* x[2];
  cudaStream_t stream[2];
  cudaEvent_t event[2];
  size_t all[2], some, total;
  for (int d = 0; d < 2; ++d) {
    EXPECT(cudaSetDevice(d) == cudaSuccess);
    EXPECT(cudaMemGetInfo(&all[d], &total) == cudaSuccess);
    EXPECT(cudaMalloc(&x[d], 32 * sizeof(int)) == cudaSuccess);
    EXPECT(cudaMemGetInfo(&some, &total) == cudaSuccess && some < all[d]);
    EXPECT(cudaStreamCreate(&stream[d]) == cudaSuccess);
    EXPECT(cudaEventCreate(&event[d]) == cudaSuccess);
    EXPECT(cudaMemset(x[d], 0, 32 * sizeof(int)) == cudaSuccess);
    cudaPointerAttributes attributes;
    EXPECT(cudaPointerGetAttributes(&attributes, x[d]) == cudaSuccess && attributes.device == d);
    cudaDeviceProp properties;
    EXPECT(cudaGetDeviceProperties(&properties, d) == cudaSuccess);
  }

  // Variables: device 1 has what the program begins with.
  const int two = 2;
  EXPECT(cudaSetDevice(0) == cudaSuccess);
  EXPECT(cudaMemcpyToSymbol(added, &two, sizeof two) == cudaSuccess);
  add<<<1, 32>>>(x[0]);
  EXPECT(value(x[0]) == 2);
  EXPECT(cudaSetDevice(1) == cudaSuccess);
  add<<<1, 32>>>(x[1]);
  add<<<1, 32>>>(x[1]);
  EXPECT(value(x[1]) == 2);
  int seen = 0;
  EXPECT(cudaMemcpyFromSymbol(&seen, launches, sizeof seen) == cudaSuccess && seen == 2);
  EXPECT(cudaSetDevice(0) == cudaSuccess);
  EXPECT(cudaMemcpyFromSymbol(&seen, launches, sizeof seen) == cudaSuccess && seen == 1);
  EXPECT(cudaMemcpyFromSymbol(&seen, added, sizeof seen) == cudaSuccess && seen == 2);

  // A stream and an event are of the device that was current.
  add<<<1, 32, 0, stream[1]>>>(x[0]);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  add<<<1, 32, 0, stream[0]>>>(x[0]);
  EXPECT(cudaGetLastError() == cudaSuccess && value(x[0]) == 4);
  EXPECT(cudaEventRecord(event[1], stream[0]) == cudaErrorInvalidResourceHandle);
  EXPECT(cudaEventRecord(event[1], stream[1]) == cudaSuccess);
  EXPECT(cudaStreamWaitEvent(stream[0], event[1]) == cudaSuccess);
  cudaGetLastError();

  // Copies between devices need no peer access.
  EXPECT(cudaMemcpyPeer(x[1], 1, x[0], 0, 32 * sizeof(int)) == cudaSuccess && value(x[1]) == 4);
  EXPECT(cudaMemset(x[0], 0, 32 * sizeof(int)) == cudaSuccess);
  EXPECT(cudaMemcpyPeerAsync(x[0], 0, x[1], 1, 4, stream[0]) == cudaSuccess && value(x[0]) == 4);
  EXPECT(cudaMemcpy(x[0] + 1, x[1], 4, cudaMemcpyDeviceToDevice) == cudaSuccess);
  EXPECT(value(x[0] + 1) == 4);
  EXPECT(cudaMemcpyPeer(x[1], 2, x[0], 0, 4) == cudaErrorInvalidDevice);

  // Peer access is for the current device, and in one direction.
  EXPECT(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
  EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
  EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
  cudaGetLastError();
  copy<<<1, 32>>>(x[0], x[1]);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && value(x[0] + 31) == 4);
  EXPECT(cudaDeviceDisablePeerAccess(1) == cudaSuccess);
  EXPECT(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
  cudaGetLastError();

  // Managed and pinned memory is everybody's; each device has a heap.
  int *managed, *pinned, **kept;
  EXPECT(cudaMallocManaged(&managed, 2 * sizeof(int)) == cudaSuccess);
  EXPECT(cudaMallocHost(&pinned, 32 * sizeof(int)) == cudaSuccess);
  memset(pinned, 0, 32 * sizeof(int));
  for (int d = 0; d < 2; ++d) {
    EXPECT(cudaSetDevice(d) == cudaSuccess);
    which<<<1, 1>>>(managed, managed + 1);
    copy<<<1, 32>>>(pinned, x[d]);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(managed[0] == d && managed[1] == 2 && pinned[0] == 4);
    EXPECT(cudaMalloc(&kept, sizeof *kept) == cudaSuccess);
    allocate<<<1, 1>>>(kept);
    read<<<1, 1>>>(kept, x[d]);
    EXPECT(value(x[d]) == 7);
    EXPECT(cudaFree(kept) == cudaSuccess);
  }
  EXPECT(cudaFree(managed) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess);

  // One host thread for each device.
  int sums[2] = {0, 0};
  std::thread first(work_on, 0, &sums[0]), second(work_on, 1, &sums[1]);
  first.join();
  second.join();
  EXPECT(sums[0] == 49 * 50 / 2 + 2 * 50 && sums[1] == 49 * 50 / 2 + 50);
  EXPECT(cudaGetDevice(&device) == cudaSuccess && device == 1);

  // A reset is of the current device alone; memory may be freed on any.
  EXPECT(cudaFree(x[0]) == cudaSuccess);
  EXPECT(cudaSetDevice(0) == cudaSuccess && cudaDeviceReset() == cudaSuccess);
  EXPECT(value(x[1]) == 7 && cudaFree(x[1]) == cudaSuccess);
  for (int d = 0; d < 2; ++d)
    EXPECT(cudaStreamDestroy(stream[d]) == cudaSuccess &&
           cudaEventDestroy(event[d]) == cudaSuccess);
  return failures;
}
