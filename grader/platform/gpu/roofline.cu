// Measures the two ceilings of a roofline: see roofline.hpp.
#include <cuda_runtime.h>

#include <algorithm>

namespace {

constexpr int kThreads = 256;
constexpr int kChains = 8;  // independent sums per thread: enough to hide a multiply-add's latency
constexpr int kLoops = 8192;
constexpr int kRuns = 5;
constexpr std::size_t kBytes = std::size_t{512} << 20;  // ten times the largest L2 cache

__global__ void multiply_adds(float* out, float a, float b) {
  float sum[kChains];
  for (int i = 0; i < kChains; ++i) sum[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 8
  for (int n = 0; n < kLoops; ++n) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) sum[i] = fmaf(sum[i], a, b);
  }
  float total = 0;
  for (int i = 0; i < kChains; ++i) total += sum[i];
  out[blockIdx.x * kThreads + threadIdx.x] = total;
}

struct Buffers {
  char* from = nullptr;
  char* to = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  bool good = cudaMalloc(&from, kBytes) == cudaSuccess && cudaMalloc(&to, kBytes) == cudaSuccess &&
              cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess;
  Buffers() = default;
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() {
    cudaFree(from);
    cudaFree(to);
    if (begin != nullptr) cudaEventDestroy(begin);
    if (end != nullptr) cudaEventDestroy(end);
  }

  /// Seconds of the fastest of kRuns runs, after a warm-up; 0 if the device reports an error.
  template <class Work>
  double fastest(Work work) const {
    float least = 0;
    for (int run = 0; run <= kRuns; ++run) {
      float ms = 0;
      cudaEventRecord(begin);
      work();
      cudaEventRecord(end);
      if (cudaEventSynchronize(end) != cudaSuccess ||
          cudaEventElapsedTime(&ms, begin, end) != cudaSuccess || cudaGetLastError() != cudaSuccess)
        return 0;
      if (run > 0) least = least > 0 ? std::min(least, ms) : ms;
    }
    return least * 1e-3;
  }
};

}  // namespace

/// Returns 0 if both were measured, else 1.
extern "C" int opgrade_measure_ceilings(double* flops_per_second, double* bytes_per_second) {
  int device = 0;
  cudaDeviceProp properties;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    return 1;
  }
  const Buffers buffers;
  if (!buffers.good) {
    cudaGetLastError();
    return 1;
  }
  const int blocks = properties.multiProcessorCount * 8;
  const double arithmetic = buffers.fastest([&] {
    multiply_adds<<<blocks, kThreads>>>(reinterpret_cast<float*>(buffers.to), 0.999f, 0.5f);
  });
  const double copy = buffers.fastest(
      [&] { cudaMemcpyAsync(buffers.to, buffers.from, kBytes, cudaMemcpyDeviceToDevice); });
  if (!(arithmetic > 0) || !(copy > 0)) return 1;
  *flops_per_second = 2.0 * blocks * kThreads * kLoops * kChains / arithmetic;
  *bytes_per_second = 2.0 * kBytes / copy;
  return 0;
}
