// A __shared__ variable has static storage: lambdas and local classes use it without a capture. One
// at file scope is no other function's parameter or variable of that name.
#include "expect.cuh"

extern __shared__ float sdata[];
__shared__ float tile[32];

__device__ float sum_of_warp(volatile float* sdata, int lane) {
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += sdata[i];
  return sum + lane;
}

__global__ void by_parameter(float* out) {
  sdata[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = sum_of_warp(sdata, threadIdx.x);
}

__global__ void at_file_scope(float* out) {
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

__device__ float of_tile(int i) { return tile[i]; }

template <class T>
struct Tile {
  __device__ static T get(int i) { return tile[i]; }
};

__global__ void one_for_all_functions(float* out) {
  auto set = [=](int i, float v) { tile[i] = v; };
  set(threadIdx.x, threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = of_tile(31 - threadIdx.x) + Tile<float>::get(threadIdx.x);
}

__global__ void local_of_that_name(float* out) {
  float tile[2] = {1, 2};
  for (int i = 0; i < 2; ++i) tile[i] += threadIdx.x;
  out[threadIdx.x] = tile[0] + tile[1];
}

__global__ void shared_of_that_name(float* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  tile[threadIdx.x + 32] = 100;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + 32] + tile[0];
}

template <class T>
__global__ void in_lambdas(const int* in, T* out) {
  __shared__ T s[32], other[2][16];
  const int total = 100;
  auto get = [=](int i) {
    return s[i] + other[i / 16][i % 16] + total;
  };  // made before they are set
  auto put = [](int i, T v) { s[i] = v; };
  auto shadow = [&](T* s, int i) { return s[i]; };
  struct Row {
    int number;
    __device__ T first() const { return other[number][0]; }
  };
  put(threadIdx.x, in[threadIdx.x]);
  other[threadIdx.x / 16][threadIdx.x % 16] = threadIdx.x;
  __syncthreads();
  T own[1] = {7};
  out[threadIdx.x] = get(threadIdx.x) + shadow(own, 0) + Row{1}.first();
  {
    const T s = 3;
    auto inner = [=] { return s; };
    out[threadIdx.x] += inner();
  }
}

__global__ void dynamic_in_lambda(float* out) {
  extern __shared__ float values[];
  const auto set = [=](int i, float v) { values[i] = v; };
  set(threadIdx.x, threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = values[31 - threadIdx.x];
}

// The host's own.
static float of_host(float* sdata) {
  float tile = sdata[0];
  return tile;
}

extern "C" int run() {
  float *out, host[32];
  int *in, numbers[32];
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&in, sizeof numbers);
  const auto wrong = [&](auto right) {
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int count = 0;
    for (int t = 0; t < 32; ++t) count += host[t] != right(t);
    return count;
  };
  by_parameter<<<1, 32, 32 * sizeof(float)>>>(out);
  EXPECT(wrong([](int t) { return 32.f + t; }) == 0);
  at_file_scope<<<1, 32>>>(out);
  EXPECT(wrong([](int t) { return 31.f - t; }) == 0);
  one_for_all_functions<<<1, 32>>>(out);
  EXPECT(wrong([](int) { return 31.f; }) == 0);
  local_of_that_name<<<1, 32>>>(out);
  EXPECT(wrong([](int t) { return 3.f + 2 * t; }) == 0);
  shared_of_that_name<<<1, 32>>>(out);
  EXPECT(wrong([](int) { return 100.f; }) == 0);
  for (int t = 0; t < 32; ++t) numbers[t] = 5 * t;
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  in_lambdas<<<1, 32>>>(in, out);
  EXPECT(wrong([](int t) { return 5.f * t + t + 100 + 7 + 16 + 3; }) == 0);
  dynamic_in_lambda<<<1, 32, 32 * sizeof(float)>>>(out);
  EXPECT(wrong([](int t) { return 31.f - t; }) == 0);
  float one = 1;
  EXPECT(of_host(&one) == 1);
  cudaFree(out);
  cudaFree(in);
  return failures;
}
