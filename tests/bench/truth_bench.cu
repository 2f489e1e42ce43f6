// Prints what the referee's check of one call costs on this device, kernel by kernel, for the
// layers of the 86x86 network at B=10000 or for `opgrade-truth-bench B M C H W K`. Needs nothing
// but itself.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "grader/platform/gpu/compare.hpp"
#include "grader/task/conv/device/truth.hpp"

namespace {

using opgrade::ConvShape;
using opgrade::TruthPlan;

void need(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

template <class T>
T* device_array(std::size_t count) {
  T* data = nullptr;
  need(cudaMalloc(&data, count * sizeof(T)));
  need(cudaMemset(data, 0, count * sizeof(T)));
  return data;
}

/// Median of seven, after one that is not counted.
template <class Work>
float ms_of(Work work) {
  cudaEvent_t begin, end;
  need(cudaEventCreate(&begin));
  need(cudaEventCreate(&end));
  std::vector<float> times(7);
  work();
  for (float& ms : times) {
    need(cudaEventRecord(begin));
    work();
    need(cudaEventRecord(end));
    need(cudaGetLastError());
    need(cudaEventSynchronize(end));
    need(cudaEventElapsedTime(&ms, begin, end));
  }
  std::sort(times.begin(), times.end());
  return times[3];
}

constexpr int kChains = 16;
constexpr int kLoops = 4096;

__global__ void multiply_adds(double* out, double a, double b) {
  double sum[kChains];
  for (int i = 0; i < kChains; ++i) sum[i] = threadIdx.x + i;
#pragma unroll 4
  for (int n = 0; n < kLoops; ++n) {
#pragma unroll
    for (int i = 0; i < kChains; ++i) sum[i] = fma(sum[i], a, b);
  }
  double total = 0;
  for (int i = 0; i < kChains; ++i) total += sum[i];
  if (total == 0.25) *out = total;
}

/// TFLOP/s of multiply-adds in double and nothing else.
double fp64_rate() {
  int multiprocessors = 0;
  need(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  const int blocks = 8 * multiprocessors;
  double* const out = device_array<double>(1);
  const float ms = ms_of([&] { multiply_adds<<<blocks, 256>>>(out, 0.999, 0.5); });
  cudaFree(out);
  return 2.0 * blocks * 256 * kChains * kLoops / ms * 1e-9;
}

void measure(const ConvShape& s, double rate) {
  const int most = opgrade::truth_images_at_a_time(s);
  std::vector<float> x(s.x_size()), k(s.k_size());
  unsigned random = 1;
  for (auto* values : {&x, &k})
    for (float& v : *values) {
      random = random * 1664525U + 1013904223U;
      v = static_cast<float>(random >> 8) * 0x1p-23F - 1;
    }
  auto* const d_x = device_array<float>(x.size());
  auto* const d_k = device_array<float>(k.size());
  auto* const d_y = device_array<float>(s.y_size());
  auto* const their_y = device_array<float>(s.y_size());
  auto* const want = device_array<double>(most * s.y_image());
  auto* const largest = device_array<unsigned long long>(most);
  auto* const least_scales = device_array<double>(s.B);
  auto* const comparison = device_array<opgrade::Comparison>(1);
  need(cudaMemcpy(d_x, x.data(), sizeof(float) * x.size(), cudaMemcpyHostToDevice));
  need(cudaMemcpy(d_k, k.data(), sizeof(float) * k.size(), cudaMemcpyHostToDevice));
  const auto in_pieces = [&](auto work) {
    for (int first = 0; first < s.B; first += most) work(first, std::min(most, s.B - first));
  };
  const auto truth = [&](const TruthPlan& plan) {
    const float ms = ms_of([&] {
      in_pieces([&](int first, int count) {
        opgrade::launch_truth(plan, d_x, d_k, want, largest, s, first, count);
      });
    });
    const double reached = s.flops() / ms * 1e-9;
    std::printf("  truth    %7.3f ms  %5.1f TFLOP/s, %3.0f %%  ", ms, reached,
                100 * reached / rate);
    if (plan.rows == 0)
      std::printf("general kernel\n");
    else
      std::printf("%d rows, %d groups, %d images, %d threads%s\n", plan.rows, plan.groups,
                  plan.images, plan.threads(s),
                  plan.rows == opgrade::plan_truth(s).rows ? ": the plan" : "");
  };
  std::printf("B=%d M=%d C=%d H=%d W=%d K=%d, %d images at a time\n", s.B, s.M, s.C, s.H, s.W, s.K,
              most);
  for (const int rows : opgrade::kTruthRows) {
    const TruthPlan plan = opgrade::plan_truth(s, rows);
    if (plan.rows != 0) truth(plan);
  }
  truth({});
  // An output of zeros is wrong everywhere; a bound beyond every error takes the path of a right
  // one.
  const float compared = ms_of([&] {
    in_pieces([&](int first, int count) {
      opgrade::launch_compare(d_y, want, largest, least_scales, comparison, s.y_image(), first,
                              count, 1e3);
    });
  });
  const float copied = ms_of([&] {
    need(cudaMemcpyAsync(d_y, their_y, sizeof(float) * s.y_size(), cudaMemcpyDeviceToDevice));
  });
  std::printf("  compare  %7.3f ms  %5.0f GB/s\n  copy y   %7.3f ms  %5.0f GB/s\n", compared,
              12.0 * s.y_size() / compared * 1e-6, copied, 8.0 * s.y_size() / copied * 1e-6);
  for (void* data :
       {static_cast<void*>(d_x), static_cast<void*>(d_k), static_cast<void*>(d_y),
        static_cast<void*>(their_y), static_cast<void*>(want), static_cast<void*>(largest),
        static_cast<void*>(least_scales), static_cast<void*>(comparison)})
    cudaFree(data);
}

}  // namespace

int main(int argc, char** argv) {
  cudaDeviceProp device;
  need(cudaGetDeviceProperties(&device, 0));
  const double rate = fp64_rate();
  std::printf("%s: %.1f TFLOP/s in double, multiply-adds alone; medians of 7\n", device.name, rate);
  if (argc == 7) {
    ConvShape s;
    int* const sizes[] = {&s.B, &s.M, &s.C, &s.H, &s.W, &s.K};
    for (int i = 0; i < 6; ++i) *sizes[i] = std::atoi(argv[i + 1]);
    if (!s.valid()) {
      std::printf("no such convolution\n");
      return 1;
    }
    measure(s, rate);
    return 0;
  }
  measure({.B = 10000, .M = 4, .C = 1, .H = 86, .W = 86, .K = 7}, rate);
  measure({.B = 10000, .M = 16, .C = 4, .H = 40, .W = 40, .K = 7}, rate);
}
