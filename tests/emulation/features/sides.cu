// Host and device each have their own: variables, __CUDA_ARCH__, addresses of functions; and the
// limits of a launch that the source declares.
#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "expect.cuh"

__device__ int counter = 5;
__constant__ float weights[4];
__device__ float scale;
__managed__ int both = 1;
const __constant__ int kRows = 3;
namespace course {
__device__ int nested = 7;
}

__global__ void read_all(float* out) {
  out[0] = counter;
  out[1] = weights[1];
  out[2] = scale;
  out[3] = both;
  out[4] = kRows;
  out[5] = course::nested;
}

// What the host writes or reads by name is its own copy, of zeros.
void check_variables() {
  EXPECT(counter == 0 && course::nested == 0 && kRows == 3);
  counter = 9;
  weights[1] = 4;
  const float wanted[4] = {1, 2, 3, 4}, two = 2;
  EXPECT(cudaMemcpyToSymbol(weights, wanted, sizeof wanted) == cudaSuccess);
  float* address = nullptr;
  EXPECT(cudaGetSymbolAddress((void**)&address, scale) == cudaSuccess && address != &scale);
  EXPECT(cudaMemcpy(address, &two, sizeof two, cudaMemcpyHostToDevice) == cudaSuccess);
  size_t bytes = 0;
  EXPECT(cudaGetSymbolSize(&bytes, weights) == cudaSuccess && bytes == sizeof wanted);
  both = 6;
  float *out, host[6];
  cudaMalloc(&out, sizeof host);
  read_all<<<1, 1>>>(out);
  EXPECT(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(host[0] == 5 && host[1] == 2 && host[2] == 2 && host[3] == 6);
  EXPECT(host[4] == 3 && host[5] == 7);
  int device_counter = 0;
  cudaMemcpyFromSymbol(&device_counter, counter, sizeof counter);
  EXPECT(device_counter == 5 && counter == 9);
  float element = 0;
  cudaMemcpyFromSymbol(&element, weights, sizeof(float), 2 * sizeof(float));
  EXPECT(element == 3);
  cudaFree(out);
}

__host__ __device__ int where() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}
__host__ __device__ inline int rows(int n) {
  int total = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  for (int i = 0; i < n; ++i) total += 10;
#else
  total = n;
#endif
  return total;
}
#ifdef __CUDA_ARCH__
__device__ int only_on_device() { return 33; }
#endif
#ifdef __CUDA_ARCH__
#define TILE 64
#else
#define TILE 32
#endif
float host_table[2] = {5, 6};
__constant__ float device_table[2];
template <class T>
struct Value {
  T x;
  __host__ __device__ T scaled() const {
#ifdef __CUDA_ARCH__
    return x * device_table[1];
#else
    return x * host_table[1];
#endif
  }
};
template <class T>
__global__ void scale_all(T* out) {
  const Value<T> v{out[0]};
  out[0] = v.scaled();
}
__global__ void ask(int* out) {
  out[0] = where();
  out[1] = rows(3);
#ifdef __CUDA_ARCH__
  out[2] = only_on_device();
#else
  out[2] = 0;
#endif
  out[3] = TILE;
}

void check_passes() {
  EXPECT(where() == 2 && rows(3) == 3 && TILE == 32);
#ifdef __CUDA_ARCH__
  ++failures;
#endif
  int *out, host[4];
  cudaMalloc(&out, sizeof host);
  ask<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  EXPECT(host[0] == 1 && host[1] == 30 && host[2] == 33 && host[3] == 64);
  cudaFree(out);
  const float table[2] = {7, 8};
  cudaMemcpyToSymbol(device_table, table, sizeof table);
  float* x;
  cudaMallocManaged(&x, sizeof(float));
  *x = 2;
  EXPECT(Value<float>{*x}.scaled() == 12);
  scale_all<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  EXPECT(*x == 16);
  cudaFree(x);
}

typedef float (*Function)(float);
__host__ __device__ float twice(float x) { return 2 * x; }
__device__ Function device_twice = twice;
__global__ void apply(Function function, float* x) { x[0] = function(x[0]); }

void check_functions() {
  float* x;
  cudaMallocManaged(&x, sizeof(float));
  x[0] = 3;
  Function function = nullptr;
  cudaMemcpyFromSymbol(&function, device_twice, sizeof function);
  apply<<<1, 1>>>(function, x);
  cudaDeviceSynchronize();
  EXPECT(x[0] == 6);
  Function on_host = &twice;
  EXPECT(on_host(4) == 8 && on_host == twice);
  cudaFree(x);
}

struct Total {
  int value;
};
__global__ void add_up(Total& total, const int n) { atomicAdd(&total.value, n); }

void check_references() {
  Total* total;
  cudaMallocManaged(&total, sizeof(Total));
  total->value = 1;
  add_up<<<2, 3>>>(*total, 4);
  cudaDeviceSynchronize();
  EXPECT(total->value == 25);
  cudaFree(total);
}

#define MOST 128
__global__ void __launch_bounds__(MOST) bounded(int* out) { out[threadIdx.x] = 1; }
template <int N>
__launch_bounds__(N, 2) __global__ void bounded_by(int* out) {
  out[threadIdx.x] = N;
}
__global__ void __launch_bounds__(64) declared_before(int* out);
__global__ void declared_before(int* out) { out[threadIdx.x] = 1; }

void check_bounds() {
  int* out;
  cudaMalloc(&out, 1024 * sizeof(int));
  bounded<<<1, 128>>>(out);
  EXPECT(cudaGetLastError() == cudaSuccess);
  bounded<<<1, 129>>>(out);
  EXPECT(cudaGetLastError() != cudaSuccess);
  bounded_by<256><<<1, 256>>>(out);
  EXPECT(cudaGetLastError() == cudaSuccess);
  bounded_by<32><<<1, 256>>>(out);
  EXPECT(cudaGetLastError() != cudaSuccess);
  declared_before<<<1, 65>>>(out);
  EXPECT(cudaGetLastError() != cudaSuccess);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, bounded_by<256>);
  EXPECT(attributes.maxThreadsPerBlock == 256);
  int grid = 0, block = 0, blocks = -1;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded, 0, 0);
  EXPECT(block > 0 && block <= 128 && grid > 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0);
  EXPECT(blocks == 0);
  cudaFree(out);
}

__device__ float helper(float x) {
  __shared__ float mine[1024];
  mine[threadIdx.x] = x;
  __syncthreads();
  return mine[0];
}
__global__ void large(float* out) {
  __shared__ float tile[8 * 1024];
  extern __shared__ float more[];
  tile[threadIdx.x] = more[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[0] + more[0] + helper(1);
}

// 36 KiB are the kernel's and its helper's: 12 KiB are left, and 191 KiB by an attribute.
void check_shared() {
  float* out;
  cudaMalloc(&out, 32 * sizeof(float));
  large<<<1, 32, 12 * 1024 + 4>>>(out);
  EXPECT(cudaGetLastError() != cudaSuccess);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, large);
  EXPECT(attributes.sharedSizeBytes == 36 * 1024);
  EXPECT(attributes.maxDynamicSharedSizeBytes == 12 * 1024);
  large<<<1, 32, 12 * 1024>>>(out);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024) !=
         cudaSuccess);
  cudaGetLastError();
  EXPECT(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024) ==
         cudaSuccess);
  large<<<1, 32, 100 * 1024>>>(out);
  EXPECT(cudaGetLastError() == cudaSuccess);
  cudaFree(out);
}

struct Shape {
  __host__ __device__ explicit Shape(int side) : side_(side) {}
  __host__ __device__ virtual int area() const { return side_ * side_; }
  int side_;
};
struct Row : Shape {
  __host__ __device__ explicit Row(int side) : Shape(side) {}
  __host__ __device__ int area() const override { return side_; }
};
__global__ void make_shape(Shape* at, int* area) {
  new (at) Row(3);
  *area = at->area();
}

// Threads of the host make objects in managed memory beside one that a kernel made.
void check_objects_of_many_threads() {
  constexpr int kThreads = 4, kEach = 4000;
  Row* rows = nullptr;
  int* area = nullptr;
  cudaMallocManaged(&rows, (kThreads * kEach + 1) * sizeof(Row));
  cudaMallocManaged(&area, sizeof *area);
  make_shape<<<1, 1>>>(rows + kThreads * kEach, area);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess && *area == 3);
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&waiting, rows, t] {
      for (--waiting; waiting > 0;) std::this_thread::yield();
      for (int i = 0; i < kEach; ++i) new (rows + i * kThreads + t) Row(t);
    });
  for (std::thread& thread : threads) thread.join();
  int sum = 0;
  for (int i = 0; i < kThreads * kEach; ++i) sum += rows[i].area();
  EXPECT(sum == kEach * (0 + 1 + 2 + 3));
  cudaFree(area);
  cudaFree(rows);
}

extern "C" int run() {
  check_objects_of_many_threads();
  check_variables();
  check_passes();
  check_functions();
  check_references();
  check_bounds();
  check_shared();
  return failures;
}
