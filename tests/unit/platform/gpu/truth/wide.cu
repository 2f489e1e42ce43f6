// The truth kernel on an image of x with more than 2^31 elements: on the emulated device, without
// its checks, which would need as much memory again. Only the few pages that the output needs are
// ever touched. Exit code 1 for a mistake.
#include <cuda_runtime.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>

#include "grader/task/conv/device/truth.hpp"

int main() {
  // The stride leaves 2 x 2 outputs.
  const opgrade::ConvShape s{.B = 1, .M = 2, .C = 3, .H = 32768, .W = 32768, .K = 1, .S = 32767};
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(s.x_size());
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    return 1;
  }
  auto* const x = static_cast<float*>(memory);
  const auto at = [&](std::int64_t c, std::int64_t h, std::int64_t w) -> float& {
    return x[(c * s.H + h * s.S) * s.W + w * s.S];
  };
  for (int c = 0; c < s.C; ++c)
    for (int h = 0; h < 2; ++h)
      for (int w = 0; w < 2; ++w) at(c, h, w) = static_cast<float>(1 + c * 4 + h * 2 + w);
  const float k[] = {1, 10, 100, 3, 5, 7};
  double y[8] = {};
  unsigned long long largest = 0;
  opgrade::launch_truth(opgrade::plan_truth(s), x, k, y, &largest, s, 0, 1);
  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::puts("the kernel failed");
    return 1;
  }
  for (int m = 0; m < s.M; ++m)
    for (int h = 0; h < 2; ++h)
      for (int w = 0; w < 2; ++w) {
        double want = 0;
        for (int c = 0; c < s.C; ++c) want += k[m * s.C + c] * at(c, h, w);
        const double got = y[(m * 2 + h) * 2 + w];
        if (got == want) continue;
        std::printf("m=%d h=%d w=%d: got %g, want %g\n", m, h, w, got, want);
        return 1;
      }
  return 0;
}
