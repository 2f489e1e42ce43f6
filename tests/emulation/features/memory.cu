// Allocation, copies of all shapes, symbols, streams, events, properties.
#include <cstring>

#include "expect.cuh"

__constant__ float weights[6] = {1, 2, 3};
__device__ int counter = 5;
__device__ float table[4][3];
__managed__ int shared_by_both = 1;

__global__ void use_symbols(float* out) {
  out[threadIdx.x] = weights[threadIdx.x % 6] + table[1][2] + counter;
}
__global__ void change_symbols() { counter = counter + 1, shared_by_both = 9; }
__global__ void add_one(int* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] += 1;
}
/// The last block adds up: its static variables are the device's, whose values stay.
__device__ int blocks_so_far() {
  static __device__ int calls[2];
  static struct { int unused; } kept;
  (void)kept;
  return atomicAdd(&calls[1], 1);
}
__global__ void sum_of_blocks(int* sum) {
  static int total = 0;
  static const int kTable[2] = {3, 4};
  if (threadIdx.x != 0) return;
  atomicAdd(&total, kTable[blockIdx.x % 2]);
  __threadfence();
  if (blocks_so_far() % gridDim.x == gridDim.x - 1) *sum = atomicExch(&total, 0);
}

static int called = 0;
static void CUDART_CB host_function(void* data) { called += *static_cast<int*>(data); }
static void CUDART_CB callback(cudaStream_t, cudaError_t status, void*) {
  called += status == cudaSuccess ? 100 : 0;
}

extern "C" int run() {
  float *out, host[8];
  EXPECT(cudaMalloc(&out, sizeof host) == cudaSuccess);
  const float two[2] = {40, 50};
  EXPECT(cudaMemcpyToSymbol(weights, two, sizeof two, 4 * sizeof(float)) == cudaSuccess);
  const float cell = 0.25f;
  EXPECT(cudaMemcpyToSymbolAsync(table, &cell, sizeof cell, (3 + 2) * sizeof(float),
                                 cudaMemcpyHostToDevice, 0) == cudaSuccess);
  use_symbols<<<1, 8>>>(out);
  change_symbols<<<1, 1>>>();
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[1] == 7.25f && host[3] == 5.25f && host[4] == 45.25f && host[5] == 55.25f);
  int value = 0;
  EXPECT(cudaMemcpyFromSymbol(&value, counter, sizeof value) == cudaSuccess && value == 6);
  void* address = nullptr;
  size_t bytes = 0;
  EXPECT(cudaGetSymbolAddress(&address, table) == cudaSuccess &&
         cudaGetSymbolSize(&bytes, table) == cudaSuccess);
  EXPECT(bytes == 48);
  EXPECT(cudaMemcpy(&host[0], (float*)address + 5, sizeof(float), cudaMemcpyDeviceToHost) ==
             cudaSuccess &&
         host[0] == 0.25f);
  EXPECT(shared_by_both == 9);

  size_t pitch = 0;
  char* image;
  EXPECT(cudaMallocPitch(&image, &pitch, 100, 10) == cudaSuccess && pitch >= 100 &&
         pitch % 512 == 0);
  char picture[10][100], back[10][100];
  for (int i = 0; i < 1000; ++i) picture[i / 100][i % 100] = (char)(i * 31);
  EXPECT(cudaMemcpy2D(image, pitch, picture, 100, 100, 10, cudaMemcpyHostToDevice) == cudaSuccess);
  EXPECT(cudaMemset2D(image + 3 * pitch, pitch, 7, 100, 2) == cudaSuccess);
  EXPECT(cudaMemcpy2D(back, 100, image, pitch, 100, 10, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(back[2][99] == picture[2][99] && back[3][0] == 7 && back[4][99] == 7 &&
         back[5][0] == picture[5][0]);
  cudaExtent extent = make_cudaExtent(20, 5, 2);
  cudaPitchedPtr box;
  EXPECT(cudaMalloc3D(&box, extent) == cudaSuccess);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(picture, 20, 20, 5);
  copy.dstPtr = make_cudaPitchedPtr(box.ptr, box.pitch, 20, 5);
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT(cudaMemcpy3D(&copy) == cudaSuccess);
  EXPECT(cudaMemcpy(back, (char*)box.ptr + box.pitch * 5, 20, cudaMemcpyDeviceToHost) ==
         cudaSuccess);
  EXPECT(memcmp(back, (char*)picture + 100, 20) == 0);

  int *pinned, *managed, *device, stack[32] = {};
  EXPECT(cudaMallocHost(&pinned, 32 * sizeof(int)) == cudaSuccess);
  EXPECT(cudaMallocManaged(&managed, 32 * sizeof(int)) == cudaSuccess);
  EXPECT(cudaMalloc(&device, 32 * sizeof(int)) == cudaSuccess);
  EXPECT(cudaHostRegister(stack, sizeof stack, cudaHostRegisterMapped) == cudaSuccess);
  for (int i = 0; i < 32; ++i) pinned[i] = managed[i] = i;
  add_one<<<1, 8>>>(pinned, 32);
  add_one<<<1, 8>>>(managed, 32);
  add_one<<<1, 8>>>(stack, 32);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  EXPECT(pinned[31] == 32 && managed[31] == 32 && stack[31] == 1);
  cudaStream_t stream;
  cudaEvent_t start, stop;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start, stream);
  EXPECT(cudaMemcpyAsync(device, pinned, 32 * sizeof(int), cudaMemcpyHostToDevice, stream) ==
         cudaSuccess);
  add_one<<<2, 8, 0, stream>>>(device, 32);
  EXPECT(cudaMemcpyAsync(pinned, device, 32 * sizeof(int), cudaMemcpyDefault, stream) ==
         cudaSuccess);
  int amount = 3;
  cudaLaunchHostFunc(stream, host_function, &amount);
  cudaStreamAddCallback(stream, callback, nullptr, 0);
  cudaEventRecord(stop, stream);
  cudaStreamWaitEvent(stream, stop, 0);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess && cudaStreamQuery(stream) == cudaSuccess);
  EXPECT(cudaEventSynchronize(stop) == cudaSuccess);
  float milliseconds = -1;
  EXPECT(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess && milliseconds >= 0);
  EXPECT(pinned[31] == 33 && called == 103);
  cudaPointerAttributes attributes;
  EXPECT(cudaPointerGetAttributes(&attributes, device) == cudaSuccess &&
         attributes.type == cudaMemoryTypeDevice);
  EXPECT(cudaPointerGetAttributes(&attributes, &amount) == cudaSuccess &&
         attributes.type == cudaMemoryTypeUnregistered);

  cudaDeviceProp properties;
  int count = 0, attribute = 0, blocks = 0;
  EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && count == 1);
  EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess && properties.warpSize == 32 &&
         properties.major == 9);
  EXPECT(cudaGetDeviceProperties(&properties, 3) == cudaErrorInvalidDevice);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
  EXPECT(cudaDeviceGetAttribute(&attribute, cudaDevAttrMaxThreadsPerBlock, 0) == cudaSuccess &&
         attribute == 1024);
  EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one, 256, 0) == cudaSuccess &&
         blocks == 8);
  int grid = 0, block = 0;
  EXPECT(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_one) == cudaSuccess &&
         block == 1024 && grid == 264);
  size_t free_bytes = 0, total = 0;
  EXPECT(cudaMemGetInfo(&free_bytes, &total) == cudaSuccess && free_bytes < total);
  for (int call = 0; call < 2; ++call) {
    sum_of_blocks<<<7, 32>>>(device);
    int sum = 0;
    EXPECT(cudaMemcpy(&sum, device, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess &&
           sum == 4 * 3 + 3 * 4);
  }
  EXPECT(cudaStreamDestroy(stream) == cudaSuccess && cudaEventDestroy(start) == cudaSuccess &&
         cudaEventDestroy(stop) == cudaSuccess);
  EXPECT(cudaHostUnregister(stack) == cudaSuccess &&
         cudaHostUnregister(stack) == cudaErrorHostMemoryNotRegistered);
  EXPECT(cudaFreeHost(pinned) == cudaSuccess && cudaFree(managed) == cudaSuccess &&
         cudaFree(device) == cudaSuccess);
  EXPECT(cudaFree(box.ptr) == cudaSuccess && cudaFree(image) == cudaSuccess &&
         cudaFree(out) == cudaSuccess);
  EXPECT(cudaFree(nullptr) == cudaSuccess);
  float one[4] = {};
  EXPECT(cudaMemcpyToSymbol(weights, one, sizeof one, 0, cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemcpyFromSymbol(one, weights, sizeof one, 0, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidMemcpyDirection);
  EXPECT(cudaMemcpyToSymbol(weights, one, sizeof one, 0, cudaMemcpyDefault) == cudaSuccess);
  cudaGetLastError();
  return failures;
}
