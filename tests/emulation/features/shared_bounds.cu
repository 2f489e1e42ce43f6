// Bounds and types of __shared__ arrays with every operator and bracket that C++ has.
#include <array>
#include <cstddef>

#include "expect.cuh"

#define BLOCK 32
#define TWICE(n) (n) << 1
#define HALF(n) (n) >> 1
#define TILE(type, name, n) __shared__ type name[n << 1]

constexpr int larger(int a, int b) { return a > b ? a : b; }

template <int A, int B>
struct Largest {
  static constexpr int v = A >= B ? A : B;
};

template <class T, int N>
struct Row {
  T values[N];
};

__shared__ float outside[BLOCK << 1], beside[BLOCK >> 1];

template <class T, int N>
__global__ void measures(std::size_t* bytes) {
  const int own = threadIdx.x;
  __shared__ float left[BLOCK << 1];
  __shared__ float right[BLOCK >> 1], both[BLOCK << 2][(BLOCK >> 1) + 1];
  __shared__ float macro[TWICE(BLOCK)], over_lines[HALF(BLOCK)];
  TILE(int, declared, BLOCK);
  __shared__ T of_template[N << 1], of_constant[Largest<BLOCK, 4>::v];
  __shared__ char of_size[sizeof(float) << 2], of_cast[static_cast<int>(2.5) << 3],
      of_old_cast[(int)2.5 << 3];
  __shared__ int chosen[BLOCK <= 16 ? 1 : BLOCK != 32 ? 2 : 3], of_call[larger(BLOCK, 4) << 1];
  __shared__ int
      logical[(BLOCK && 1) + (BLOCK || 0) + (BLOCK == 32) + (BLOCK >= 32) + !BLOCK + -~1];
  __shared__ Row<float, 1 << 3> of_shift[2];
  __shared__ Row<float, (BLOCK >> 2)> of_right_shift;
  __shared__ Row<Row<char, 1 << 1>, (4 <= 8 ? 4 : 8)> nested[1 << 1];
  __shared__ std::array<std::array<short, 2>, 3> closes_two[BLOCK >> 4];
  __shared__ decltype(1 << 1) of_type[1 << 1];
  __shared__ alignas(16) float aligned[1 << 2];
  outside[own] = left[own] = both[own][1] = macro[own] = 1;
  of_template[own] = 1;
  if (own < BLOCK / 2) beside[own] = right[own] = over_lines[own] = 1;
  __syncthreads();
  if (own != 0) return;
  // A build that counts operations quotes the bound of this loop.
  for (int i = 0; i < BLOCK >> 1; ++i) left[i] = right[i] + static_cast<float>(1 << 1);
  int n = 0;
  for (const std::size_t size :
       {sizeof outside,     sizeof beside,         sizeof left,       sizeof right,
        sizeof both,        sizeof macro,          sizeof over_lines, sizeof declared,
        sizeof of_template, sizeof of_constant,    sizeof of_size,    sizeof of_cast,
        sizeof of_old_cast, sizeof chosen,         sizeof of_call,    sizeof logical,
        sizeof of_shift,    sizeof of_right_shift, sizeof nested,     sizeof closes_two,
        sizeof of_type,     sizeof aligned})
    bytes[n++] = size;
}

extern "C" int run() {
  const std::size_t wanted[] = {256, 64, 256, 64,  128 * 17 * 4, 256, 64, 256, 512, 256, 16,
                                16,  16, 12,  256, 6 * 4,        64,  32, 16,  24,  8,   16};
  constexpr int kNumber = sizeof wanted / sizeof *wanted;
  std::size_t *bytes, host[kNumber];
  cudaMalloc(&bytes, sizeof host);
  measures<double, BLOCK><<<1, BLOCK>>>(bytes);
  EXPECT(cudaMemcpy(host, bytes, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < kNumber; ++i) EXPECT(host[i] == wanted[i]);
  cudaFree(bytes);
  return failures;
}
