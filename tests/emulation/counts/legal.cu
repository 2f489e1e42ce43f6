// Legal code around which the counting translator has to find its way; what it does can be counted
// by hand.
#include <cuda_runtime.h>

namespace shapes {
struct Point {
  float x, y;
};
}  // namespace shapes

struct Pair {
  int a, b;
};
__device__ Pair pair_of(int i) { return {i, i + 1}; }
__device__ int next(int* left) { return (*left)--; }

struct Length {
  float value;
  __device__ Length& operator+=(const Length& b) {
    value += b.value;
    return *this;
  }
};

__global__ void declarations(float* in, float* out) {
  const int i = threadIdx.x;
  shapes::Point* p = (shapes::Point*)in;
  volatile float* v = in;
  const volatile int* unused = nullptr;
  float* pointers[2];
  pointers[0] = 0;
  pointers[1] = out;
  char text[] = "x";
  auto [a, b] = pair_of(i);
  if (float* q = pointers[1]) q[a] = p[a].x + (text[0] == 'x' ? v[b] * 3.0f : 0.0f);
  (void)unused;
}

/// Each thread makes four rounds, each with one load.
__global__ void conditions(const float* in, float* out) {
  int left = 4;
  float sum = 0.0f;
  while (int n = next(&left)) sum += in[n * 32 + threadIdx.x];
  out[threadIdx.x] = sum;
}

/// Lane l makes l + 1 rounds over the list.
__global__ void ranges(const float* in, float* out) {
  const int list[4] = {0, 1, 2, 3};
  float sum = 0.0f;
  for (const int n : list) {
    if (n > threadIdx.x % 4) break;
    sum += in[n * 32 + threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

/// 2 x is x + x for a GPU's compiler, but not in a sum.
__global__ void doubled(const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = in[i] * 2.0f;
  out[i + 32] = 2 * in[i] + 1.0f;
  out[i + 64] = in[i] > 0.0f ? in[i] : in[i] * 5.0f;
}

/// A call is one operation, whatever was multiplied before it.
__global__ void calls(const float* in, float* out) {
  const int i = threadIdx.x;
  const float square = in[i] * in[i];
  float sum = fmaf(square, in[i], 1.0f) + __fadd_rn(square, in[i]);
  sum -= __fmul_rn(sum, square);
  sum = std::fma(sum, square, __fdividef(sum, square));
  out[i] = __fmaf_rn(sum, square, __fsub_rn(sum, square));
}
__global__ void calls_in_double(const float* in, float* out) {
  const double x = in[threadIdx.x];
  out[threadIdx.x] = __fma_rn(fma(x, x, 1.0), __dmul_rn(x, x), __dadd_rn(x, x));
}

/// A compiler looks through parentheses around a product, not around a sum.
__global__ void parentheses(const float* in, float* out) {
  const int i = threadIdx.x;
  float sum = in[i];
  sum += (in[i] * in[i + 32]);
  sum += ((in[i] * in[i + 1]) + (in[i + 2] * in[i + 3]));
  out[i] = sum + (in[i] * in[i + 4] + in[i + 5]) + (2 * in[i + 6]);
}

/// The translator's marks do not fit before a list.
__global__ void own_operator(const float* in, float* out) {
  Length a{in[threadIdx.x]};
  a += {1.0f};
  out[threadIdx.x] = a.value;
}

__global__ void copied(const float* in, float* out) { out[31 - threadIdx.x] = in[threadIdx.x]; }
__global__ void larger(const int* in, int* out) {
  out[threadIdx.x] =
      in[threadIdx.x] > in[threadIdx.x + 32] ? in[threadIdx.x] : in[threadIdx.x + 32];
}
__global__ void swapped(int* in) {
  const int other = in[threadIdx.x ^ 1];
  __syncwarp();
  in[threadIdx.x] = other;
}

/// Four words of a row at a time, known to the compiler to be aligned.
__global__ void unrolled(const float* in, float* out) {
  constexpr int kWidth = 8;
  __shared__ float tile[32][kWidth];
  for (int j = 0; j < kWidth; ++j) tile[threadIdx.x][j] = in[threadIdx.x * kWidth + j];
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < kWidth; ++j) sum += tile[threadIdx.x / 4][j];
  out[threadIdx.x] = sum;
}

extern "C" int run() {
  float values[1024];
  for (int i = 0; i < 1024; ++i) values[i] = 1.0f + i;
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, sizeof values);
  cudaMalloc(&out, sizeof values);
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  declarations<<<1, 32>>>(in, out);
  conditions<<<1, 32>>>(in, out);
  ranges<<<1, 32>>>(in, out);
  doubled<<<1, 32>>>(in, out);
  calls<<<1, 32>>>(in, out);
  calls_in_double<<<1, 32>>>(in, out);
  parentheses<<<1, 32>>>(in, out);
  own_operator<<<1, 32>>>(in, out);
  copied<<<1, 32>>>(in, out);
  larger<<<1, 32>>>((const int*)in, (int*)out);
  swapped<<<1, 32>>>((int*)in);
  unrolled<<<1, 32>>>(in, out);
  const cudaError_t status = cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
  return status == cudaSuccess ? 0 : 1;
}

int main() { return run(); }
