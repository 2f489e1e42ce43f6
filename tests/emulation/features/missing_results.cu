// Functions that can reach their end without their result. On a GPU what calls them goes on.
#include <cstring>

#include "expect.cuh"

struct Pair {
  int first;
  float second;
};

__device__ float maximum(float* at, float value) { atomicMax((int*)at, *(int*)&value); }
__device__ int& counted(int* a) { a[0] += 1; }
__device__ Pair pair_of(int* a) { a[1] += 1; }
template <class T>
__device__ T instance(T* a, int n) {
  if (n > 5) return a[0];
  a[2] += 1;
}
template <class T>
__device__ T never_called(T* a) {
  a[0] = 1;
}
__host__ __device__ int of_both(int* a) { a[3] += 1; }
__device__ bool sometimes(int* a, int i) {
  if (i == 3) {
    return true;
  }
  a[4] += 1;
}
__device__ void neighbour(int* a) { a[5] += 1; }
__device__ unsigned at_last(int* a, int n);
__device__ unsigned at_last(int* a, int n) {
  for (int i = 0; i < n; ++i)
    if (a[6] == 100 + i) return i;
  a[6] += 1;
}
__device__ int again(int* a, int n) {
  if (n > 0) return again(a, n - 1);
  a[7] += 1;
}
__device__ __noinline__ int outlined(int* a, int i = 2) noexcept {
  if (i < 1000) a[8] += 1;
}
__device__ auto trailing(int* a) -> double { a[9] += 1; }
#define ADDS(name, at) \
  __device__ int name(int* a) { a[at] += 1; }
ADDS(by_a_macro, 10)

struct Tally {
  int* a;
  __device__ int operator()(int by) const { a[11] += by; }
  __device__ Tally& operator+=(int by) { a[12] += by; }
  __device__ explicit operator int() const { a[13] += 1; }
  template <class T>
  __device__ T* member(T by);
};
template <class T>
__device__ T* Tally::member(T by) {
  a[14] += by;
}
template <int kAt>
struct Of {
  static __device__ long add(int* a) { a[kAt] += 1; }
};
namespace {
__device__ inline const char* const* in_a_namespace(int* a) { a[16] += 1; }
}  // namespace
__device__ int of_the_device(int* a) {
#ifdef __CUDA_ARCH__
  a[17] += 1;
#else
  return a[17];
#endif
}

// Results that a GPU's compiler takes, and that cannot be made up by a default constructor, or not
// in one way for all functions of a line.
struct Point {
  float x;
  __host__ __device__ explicit Point(float of) : x(of) {}
};
struct Hit {
  Point where;
  const int kind;
};
enum Kind { kNone, kSphere };
__device__ Hit hit(int* a, Kind kind) {
  a[18] += 1;
  switch (kind) {
    case kSphere:
      return Hit{Point(2), 7};
    case kNone:
      return Hit{Point(1), 6};
  }
}
struct Fixed {
  int& of;
};
__device__ Fixed fixed(int* a) { a[19] += 1; }
__device__ int&& moved(int* a) { a[20] += 1; }
struct Nothing {
  __host__ __device__ void operator()(int) const {}
};
struct Same {
  __host__ __device__ int operator()(int i) const { return i; }
};
template <class F>
__host__ __device__ auto apply(F f, int i) -> decltype(f(i)) {
  if (i >= 0) return f(i);
}
struct Best {
  int value;
  __host__ __device__ explicit Best(int of) : value(of) {}
};
template <class T>
__device__ T choose(int* a, int i) {
  if (i > 0) return T(i);
}
#define BOTH(T)                   \
  __device__ T get(T* a, int i) { \
    if (i > 0) return a[0];       \
    a[22] += 1;                   \
  }                               \
  __device__ void get(T* a) { a[22] += 1; }
BOTH(int)
struct OneLine {
  int v;
  __device__ int get(int* a) {
    a[0] += 0;
    if (v == 0) return 1;
  }
  __device__ OneLine(int* a, int) : v(0) { v = get(a); }
};
struct Named {
  int first, second;
};
__device__ auto named(int* a, int i) -> struct Named {
  if (i > 0) {
    a[23] += 1;
  }
  if (i < 50) return Named{7, 8};
}

__global__ void
calls_all(int* a, float* largest) {
  maximum(largest, 3.0F);
  counted(a);
  pair_of(a);
  instance(a, 2);
  of_both(a);
  sometimes(a, 1);
  neighbour(a);
  at_last(a, 3);
  again(a, 2);
  outlined(a);
  trailing(a);
  by_a_macro(a);
  Tally tally{a};
  tally(1);
  tally += 1;
  (void)static_cast<int>(tally);
  tally.member(1);
  Of<15>::add(a);
  in_a_namespace(a);
  of_the_device(a);
  hit(a, kSphere);
  fixed(a);
  moved(a);
  apply(Nothing(), 1);
  apply(Same(), 1);
  a[21] += choose<int>(a, 1);
  choose<Best>(a, 1);
  get(a, 1);
  get(a);
  OneLine(a, 1);
  named(a, 1);
  a[24] += 1;
}

__global__ void uses_results(float* largest, float* out, int* a) {
  out[0] = maximum(largest, 4.0F);
  out[1] = pair_of(a).second;
  out[2] = instance(largest, 1);
  a[0] = sometimes(a, 3) ? 7 : 8;
  a[2] = at_last(a, 0) == ~0U || at_last(a, 0) == 0;
  a[1] = named(a, 1).second + hit(a, kNone).kind;
}

extern "C" int run() {
  constexpr int kCounts = 25;
  int *a, counts[kCounts];
  float *floats, out[4];
  cudaMalloc(&a, sizeof counts);
  cudaMalloc(&floats, sizeof out);
  cudaMemset(a, 0, sizeof counts);
  cudaMemset(floats, 0, sizeof out);
  calls_all<<<1, 1>>>(a, floats);
  EXPECT(cudaMemcpy(counts, a, sizeof counts, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(cudaMemcpy(out, floats, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < kCounts; ++i) EXPECT(counts[i] == 1);
  EXPECT(out[0] == 3);

  uses_results<<<1, 1>>>(floats, floats + 1, a);
  EXPECT(cudaMemcpy(counts, a, sizeof counts, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(cudaMemcpy(out, floats, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(out[0] == 4 && out[1] != out[1] && out[2] != out[2]);
  EXPECT(counts[0] == 7 && counts[1] == 14 && counts[2] == 0);
  cudaFree(a);
  cudaFree(floats);
  return failures;
}
