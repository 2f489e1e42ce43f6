// Everything that can stand around a launch, and every way to declare a kernel.
#include <algorithm>
#include <string>
#include <vector>

#include "expect.cuh"

#define LAUNCH(kernel, blocks, threads, ...) kernel<<<blocks, threads>>>(__VA_ARGS__)
#define BLOCKS(n, t) (((n) + (t)-1) / (t))
#define CHECK(call)               \
  do {                            \
    cudaError_t error = (call);   \
    EXPECT(error == cudaSuccess); \
  } while (0)

const char* const kText = "not a launch: k<<<1, 2>>>(x); /* */ // }";
const char* const kRaw = R"(nor this: k<<<1, 2>>>(x) " } )";
const char kBrace = '{';

template <class... T>
__global__ void sum_of(int* out, T... values) {
  out[threadIdx.x] = (0 + ... + values);
}
template <class... T>
__global__ void sum_of_referenced(int* out, const T&... values) {
  out[threadIdx.x] = (0 + ... + values);
}
template <class... T>
__global__ void sum_of_forwarded(int* out, T&&... values) {
  out[threadIdx.x] = (0 + ... + values);
}
template <class... T>
__global__ void sum_of_pointed(int& out, T*... values) {
  out = (0 + ... + *values);
}
template <int... kSizes>
__global__ void count_of_arrays(int* out, const int (&... arrays)[kSizes]) {
  out[threadIdx.x] = static_cast<int>(sizeof...(arrays)) + (0 + ... + kSizes);
}
template <class F, class... T>
__global__ void apply(F f, T... values) {
  f(values...);
}
struct Put {
  __device__ void operator()(int* out, int value) const { out[threadIdx.x] = value; }
};

__global__ void plain(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }

template <typename T, int kFactor>
__global__ void __launch_bounds__(256, 2)
    scaled(const T* __restrict__ in, T* __restrict__ out, int n = 64) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#pragma unroll 4
  for (int k = 0; k < kFactor; ++k) out[i] += in[i];
}

namespace outer {
namespace {
static __global__ void hidden(int* out) { out[threadIdx.x] = 3; }
}  // namespace
template <class F>
__global__ void apply(int* out, F f) {
  out[threadIdx.x] = f(threadIdx.x);
}
struct Add {
  int amount;
  __host__ __device__ int operator()(int x) const { return x + amount; }
};
}  // namespace outer

// A launch in a comment: plain<<<1, 1>>>(nullptr, 0);
__global__ void overloaded(float* x) { x[0] = 1.0f; }
__global__ void overloaded(double* x) { x[0] = 2.0; }
__launch_bounds__(128) __global__ void attributes_first(int* out) { out[threadIdx.x] = 5; }
extern "C" __global__ void c_linkage(int* out) { out[threadIdx.x] = 6; }
__global__ void changes_parameter(int* out, int n) {
  n += threadIdx.x;
  out += threadIdx.x;
  *out = n;
}
struct Shape {
  int width, height;
};
__global__ void by_value(int* out, const Shape shape) {
  out[threadIdx.x] = shape.width * shape.height;
}
__global__ void forward_declared(int* out);
template <int N>
__global__ void explicit_instance(int* out);

extern __shared__ float file_scope[];
__device__ float from_file_scope(int i) { return file_scope[i]; }
__global__ void shared_kinds(float* out, int n) {
  extern __shared__ __align__(16) unsigned char bytes[];
  __shared__ float a[8][8 + 1], b;
  volatile __shared__ int c[2];
  file_scope[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) b = 0.5f, c[1] = 4;
  a[threadIdx.x / 8][threadIdx.x % 8] = 1.0f;
  __syncthreads();
  const float first = *reinterpret_cast<float*>(bytes + 4 * (n - 1 - threadIdx.x));
  out[threadIdx.x] = first + from_file_scope(threadIdx.x) + a[0][threadIdx.x % 8] + b + c[1];
}
template <typename T, int kWidth>
__global__ void shared_template(T* out) {
  __shared__ T tile[kWidth * 2];
  tile[threadIdx.x] = T(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = tile[kWidth * 2 - 1 - threadIdx.x];
}

template <typename T>
void launch_from_template(T* in, T* out, int n) {
  scaled<T, 2><<<BLOCKS(n, 32), 32>>>(in, out, n);
}
__global__ void forward_declared(int* out) { out[threadIdx.x] = 7; }
template <int N>
__global__ void explicit_instance(int* out) {
  out[threadIdx.x] = N;
}
template __global__ void explicit_instance<9>(int*);

struct Runner {
  int* out;
  void run(cudaStream_t stream) { plain<<<2, 16, 0, stream>>>(out, 12); }
};

static int* device;
static std::vector<int> fetch(int n) {
  std::vector<int> host(n);
  CHECK(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
  return host;
}
static bool all(int n, int value) {
  const auto host = fetch(n);
  return std::all_of(host.begin(), host.end(), [&](int v) { return v == value; });
}

extern "C" int run() {
  CHECK(cudaMalloc(&device, 256 * sizeof(int)));
  plain<<<1, 32>>>(device, 1);
  EXPECT(all(32, 1));
  dim3 gridDim(4), blockDim(8, 1, 1);  // a local may have the name of a built-in variable
  plain<<<gridDim, blockDim>>>(device, 2);
  EXPECT(all(32, 2));
  LAUNCH(plain, 2, dim3(16), device, 4);
  EXPECT(all(32, 4));
  int evaluated = 0;
  plain<<<dim3(BLOCKS(64, std::max(16, 8))), [] { return dim3(16); }(), (size_t)(1 << 3 >> 1)>>>(
      device, ++evaluated + 4);
  EXPECT(evaluated == 1);
  EXPECT(all(64, 5));
  if (evaluated)
    plain<<<1, 1>>>(device, 9);
  else
    plain<<<1, 1>>>(device, 10);
  EXPECT(fetch(1)[0] == 9);
  for (int i = 0; i < 3; ++i) plain<<<1, 64>>>(device, i);
  EXPECT(all(64, 2));
  outer::hidden<<<1, 8>>>(device);
  EXPECT(all(8, 3));
  outer::apply<outer::Add><<<1, 8>>>(device, outer::Add{10});
  EXPECT(fetch(8)[7] == 17);
  outer::apply<<<1, 8>>>(device, outer::Add{20});
  EXPECT(fetch(8)[0] == 20);
  attributes_first<<<1, 8>>>(device);
  EXPECT(all(8, 5));
  c_linkage<<<1, 8>>>(device);
  EXPECT(all(8, 6));
  forward_declared<<<1, 8>>>(device);
  EXPECT(all(8, 7));
  explicit_instance<9><<<1, 8>>>(device);
  EXPECT(all(8, 9));
  changes_parameter<<<1, 8>>>(device, 100);
  EXPECT(fetch(8)[3] == 103);
  by_value<<<1, 8>>>(device, Shape{6, 7});
  EXPECT(all(8, 42));

  sum_of<<<1, 8>>>(device, 1, 2, 40);
  EXPECT(all(8, 43));
  sum_of<<<1, 8>>>(device);
  EXPECT(all(8, 0));
  sum_of<<<1, 32>>>(device, 22);
  sum_of_referenced<<<1, 8>>>(device, device[30], device[31]);
  EXPECT(all(8, 44));
  sum_of_forwarded<<<1, 8>>>(device, device[30], device[31], device[29]);
  EXPECT(all(8, 66));
  sum_of_pointed<<<1, 1>>>(*device, device + 30, device + 31);
  EXPECT(fetch(8)[0] == 44);
  count_of_arrays<<<1, 8>>>(device, {1, 2, 3}, {4, 5});
  EXPECT(all(8, 7));
  apply<<<1, 8>>>(Put(), device, 46);
  EXPECT(all(8, 46));

  void (*pointer)(int*, int) = plain;
  pointer<<<1, 8>>>(device, 13);
  (*pointer)<<<1, 4>>>(device, 14);
  EXPECT(fetch(8)[3] == 14 && fetch(8)[4] == 13);
  void (*table[2])(int*, int) = {plain, plain};
  table[1]<<<1, 8>>>(device, 15);
  EXPECT(all(8, 15));
  int value = 16;
  void* arguments[] = {&device, &value};
  CHECK(cudaLaunchKernel((void*)plain, dim3(1), dim3(8), arguments, 0, 0));
  EXPECT(all(8, 16));
  value = 17;
  CHECK(cudaLaunchCooperativeKernel(plain, dim3(1), dim3(8), arguments));
  EXPECT(all(8, 17));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  Runner{device}.run(stream);
  EXPECT(all(32, 12));
  CHECK(cudaStreamDestroy(stream));

  float *x, *y, host[64];
  CHECK(cudaMalloc((void**)&x, sizeof host));
  CHECK(cudaMalloc(&y, sizeof host));
  for (int i = 0; i < 64; ++i) host[i] = i;
  CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(y, 0, sizeof host));
  scaled<float, 3><<<2, 32>>>(x, y);
  launch_from_template(x, y, 64);
  CHECK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[63] == 5 * 63);
  shared_kinds<<<1, 64, 64 * sizeof(float)>>>(y, 64);
  CHECK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 63 + 0 + 1 + 0.5f + 4);
  EXPECT(host[40] == 23 + 40 + 1 + 0.5f + 4);
  shared_template<float, 16><<<1, 32>>>(y);
  CHECK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[1] == 30);
  overloaded<<<1, 1>>>(y);
  CHECK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 1.0f);

  EXPECT(std::string(kText).size() == 40 && kRaw[0] == 'n' && kBrace == '{');
  CHECK(cudaGetLastError());
  cudaFree(x);
  cudaFree(y);
  cudaFree(device);
  return failures;
}
