#include <cuda_fp16.h>

#include <cstring>

#include "grader/task/conv/device/truth.hpp"
#include "kernels/bench/truth.hpp"

namespace opgrade::kernels {
namespace {

constexpr int kThreads = 256;

int blocks_for(std::int64_t count) {
  const std::int64_t blocks = ceil_div(count, std::int64_t{kThreads});
  return static_cast<int>(blocks < 65536 ? blocks : 65536);
}

#define FOR_EACH(i, count)                                                              \
  for (std::int64_t i = blockIdx.x * std::int64_t{kThreads} + threadIdx.x; i < (count); \
       i += gridDim.x * std::int64_t{kThreads})

/// A counter-based generator: two rounds of a 32-bit finaliser (constants from Wang's and
/// Mulligan's "lowbias32" search), good enough to keep neighbours apart.
__device__ std::uint32_t mix(std::uint32_t v) {
  v ^= v >> 16, v *= 0x21f0aaadu, v ^= v >> 15, v *= 0xd35a2d97u, v ^= v >> 15;
  return v;
}

__device__ float draw(Data data, std::uint32_t bits, std::uint32_t more) {
  const float uniform = static_cast<float>(bits >> 8) * 0x1p-23f - 1.0f;
  switch (data) {
    case Data::reals:
      return uniform;
    case Data::pixels:
      return static_cast<float>(bits >> 24);
    case Data::tiny:
      return uniform * 0x1p-100f;
    case Data::huge:
      return uniform * 0x1p80f;
    case Data::wide:
      return uniform * exp2f(-20.0f * static_cast<float>(more >> 8) * 0x1p-24f);
  }
  return 0;
}

__global__ void fill_kernel(float* to, std::int64_t count, Data data, std::uint32_t seed) {
  FOR_EACH(i, count) {
    const std::uint32_t bits =
        mix(static_cast<std::uint32_t>(i) ^ mix(seed + static_cast<std::uint32_t>(i >> 32)));
    to[i] = draw(data, bits, mix(bits + 0x9e3779b9u));
  }
}

struct DeviceDifference {
  unsigned long long worst, largest, broken;  // the first two are bits of non-negative doubles
};

__global__ void compare_kernel(const float* __restrict__ y, const double* __restrict__ want, Dims d,
                               bool channels_last, DeviceDifference* out) {
  double worst = 0, largest = 0;
  unsigned long long broken = 0;
  FOR_EACH(i, d.B * d.y_image) {
    std::int64_t at = i;
    if (channels_last) {
      const std::int64_t b = i / d.y_image, rest = i % d.y_image;
      at = b * d.y_image + rest % d.pixels * d.M + rest / d.pixels;
    }
    const double got = y[at], difference = fabs(got - want[i]);
    if (isfinite(got))
      worst = fmax(worst, difference);
    else
      ++broken;
    largest = fmax(largest, fabs(want[i]));
  }
  for (int step = 16; step > 0; step /= 2) {
    worst = fmax(worst, __shfl_xor_sync(~0u, worst, step));
    largest = fmax(largest, __shfl_xor_sync(~0u, largest, step));
    broken += __shfl_xor_sync(~0u, broken, step);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicMax(&out->worst, static_cast<unsigned long long>(__double_as_longlong(worst)));
  atomicMax(&out->largest, static_cast<unsigned long long>(__double_as_longlong(largest)));
  atomicAdd(&out->broken, broken);
}

__global__ void channels_last_kernel(const float* from, float* to, int c, std::int64_t pixels,
                                     std::int64_t count) {
  FOR_EACH(i, count) {
    const std::int64_t b = i / (c * pixels), rest = i % (c * pixels);
    to[(b * pixels + rest % pixels) * c + rest / pixels] = from[i];
  }
}

__global__ void to_half_kernel(const float* from, __half* to, std::int64_t count) {
  FOR_EACH(i, count) to[i] = __float2half_rn(from[i]);
}
__global__ void from_half_kernel(const __half* from, float* to, std::int64_t count) {
  FOR_EACH(i, count) to[i] = __half2float(from[i]);
}

}  // namespace

void fill(float* d_to, std::int64_t count, Data data, std::uint32_t seed, cudaStream_t stream) {
  fill_kernel<<<blocks_for(count), kThreads, 0, stream>>>(d_to, count, data, seed);
  CUDA_CHECK(cudaGetLastError());
}

void truth(const float* d_x, const float* d_k, double* d_y, const ConvShape& shape) {
  const TruthPlan plan = plan_truth(shape);
  const int most = truth_images_at_a_time(shape);
  DeviceBuffer<unsigned long long> largest(most);
  for (int first = 0; first < shape.B; first += most) {
    const int count = shape.B - first < most ? shape.B - first : most;
    CUDA_CHECK(cudaMemset(largest.get(), 0, count * sizeof(unsigned long long)));
    launch_truth(plan, d_x, d_k, d_y + first * shape.y_image(), largest.get(), shape, first, count);
    CUDA_CHECK(cudaGetLastError());
  }
}

Difference compare(const float* d_y, const double* d_truth, const ConvShape& shape,
                   bool channels_last) {
  DeviceBuffer<DeviceDifference> out(1);
  CUDA_CHECK(cudaMemset(out.get(), 0, sizeof(DeviceDifference)));
  compare_kernel<<<blocks_for(shape.y_size()), kThreads>>>(d_y, d_truth, dims(shape), channels_last,
                                                           out.get());
  CUDA_CHECK(cudaGetLastError());
  DeviceDifference got;
  CUDA_CHECK(cudaMemcpy(&got, out.get(), sizeof got, cudaMemcpyDeviceToHost));
  Difference difference;
  std::memcpy(&difference.worst, &got.worst, sizeof(double));
  std::memcpy(&difference.largest, &got.largest, sizeof(double));
  difference.broken = static_cast<std::int64_t>(got.broken);
  return difference;
}

void to_channels_last(const float* d_from, float* d_to, int b, int c, int h, int w) {
  const std::int64_t pixels = std::int64_t{h} * w, count = b * c * pixels;
  channels_last_kernel<<<blocks_for(count), kThreads>>>(d_from, d_to, c, pixels, count);
  CUDA_CHECK(cudaGetLastError());
}

void to_half(const float* d_from, void* d_to, std::int64_t count) {
  to_half_kernel<<<blocks_for(count), kThreads>>>(d_from, static_cast<__half*>(d_to), count);
  CUDA_CHECK(cudaGetLastError());
}

void from_half(const void* d_from, float* d_to, std::int64_t count) {
  from_half_kernel<<<blocks_for(count), kThreads>>>(static_cast<const __half*>(d_from), d_to,
                                                    count);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace opgrade::kernels
