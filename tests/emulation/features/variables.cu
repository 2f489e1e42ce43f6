// Forms of __device__ and __constant__ declarations.
#include <climits>
#include <cmath>
#include <type_traits>

#include "expect.cuh"

struct Vec {
  float x, y;
  Vec() = default;
  __host__ __device__ constexpr Vec(float a, float b) : x(a), y(b) {}
};

__device__ int counter(0);
__constant__ float scale(2.5f);
__device__ unsigned mask(~0u), shift = 3;
__device__ volatile int flag = 3;
alignas(16) __constant__ float quad[4] = {1, 2, 3, 4};
[[maybe_unused]] __device__ int spare = 1;
__device__ Vec origin{1, 2};
__device__ float best(INFINITY);  // macros with parentheses of their own
__device__ unsigned most(UINT_MAX);
__device__ int twice(int v);

// The type is the device's variable's, also where host code has a copy of its own.
#define UPLOAD(symbol, ...)                                                    \
  do {                                                                         \
    decltype(symbol) value = __VA_ARGS__;                                      \
    EXPECT(cudaMemcpyToSymbol(symbol, &value, sizeof value) == cudaSuccess);   \
    static_assert(std::is_same<decltype(symbol), decltype(value)>::value, ""); \
  } while (0)

__global__ void read(float* out) {
  atomicAdd(&counter, 1);
  const float4 v = *(const float4*)quad;
  out[threadIdx.x] = scale * flag + v.w + origin.x + (mask >> 29) * shift + twice(2);
  if (threadIdx.x == 0) flag = 4;
}

__device__ int twice(int v) { return 2 * v; }

extern "C" int run() {
  float *out, host[32];
  cudaMalloc(&out, sizeof host);
  const Vec other(5, 6);
  EXPECT(cudaMemcpyToSymbol(origin, &other, sizeof other) == cudaSuccess);
  const int five = 5;
  EXPECT(cudaMemcpyToSymbol(flag, &five, sizeof five) == cudaSuccess);
  read<<<1, 1>>>(out);
  EXPECT(cudaMemcpy(host, out, sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(host[0] == 2.5f * 5 + 4 + 5 + 21 + 4);
  float infinite = 0;
  EXPECT(cudaMemcpyFromSymbol(&infinite, best, sizeof infinite) == cudaSuccess &&
         infinite == INFINITY);
  unsigned whole = 0;
  EXPECT(cudaMemcpyFromSymbol(&whole, most, sizeof whole) == cudaSuccess && whole == UINT_MAX);
  UPLOAD(origin, {7, 8});
  Vec uploaded(0, 0);
  EXPECT(cudaMemcpyFromSymbol(&uploaded, origin, sizeof uploaded) == cudaSuccess &&
         uploaded.y == 8);
  int seen = 0;
  EXPECT(cudaMemcpyFromSymbol(&seen, counter, sizeof seen) == cudaSuccess && seen == 1);
  EXPECT(cudaMemcpyFromSymbol(&seen, flag, sizeof seen) == cudaSuccess && seen == 4);
  void* address = nullptr;
  EXPECT(cudaGetSymbolAddress(&address, quad) == cudaSuccess && (size_t)address % 16 == 0);
  cudaFree(out);
  return failures;
}
