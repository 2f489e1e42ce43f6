#include <cuda_fp16.h>

#include <cstring>

#include "kernels/bench/timing.hpp"
#include "kernels/bench/unit_rates.hpp"

namespace opgrade::kernels {
namespace {

// Each thread or warp works on kChains independent sums, enough to cover any latency.
constexpr int kChains = 8, kLoops = 4096, kThreads = 256;

/// Ticks of the SM's own counter and nanoseconds of the device's clock, for one thread's whole
/// loop.
struct Clocked {
  long long ticks;
  unsigned long long nanoseconds;
};

__device__ unsigned long long nanoseconds_now() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void fp32_chain(float* out, float a, float b, Clocked* clocked) {
  float sum[kChains];
  for (int i = 0; i < kChains; ++i) sum[i] = static_cast<float>(threadIdx.x + i);
  const long long start = clock64();
  const unsigned long long from = nanoseconds_now();
#pragma unroll 4
  for (int n = 0; n < kLoops * 4; ++n)
#pragma unroll
    for (int i = 0; i < kChains; ++i) sum[i] = fmaf(sum[i], a, b);
  if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1)
    *clocked = {clock64() - start, nanoseconds_now() - from};
  float total = 0;
  for (int i = 0; i < kChains; ++i) total += sum[i];
  out[blockIdx.x * kThreads + threadIdx.x] = total;
}

__global__ void half2_chain(float* out, float a, float b) {
  __half2 sum[kChains];
  for (int i = 0; i < kChains; ++i)
    sum[i] = __float2half2_rn(static_cast<float>(threadIdx.x % 8 + i));
  const __half2 va = __float2half2_rn(a), vb = __float2half2_rn(b);
#pragma unroll 4
  for (int n = 0; n < kLoops * 4; ++n)
#pragma unroll
    for (int i = 0; i < kChains; ++i) sum[i] = __hfma2(sum[i], va, vb);
  float total = 0;
  for (int i = 0; i < kChains; ++i) total += __low2float(sum[i]) + __high2float(sum[i]);
  out[blockIdx.x * kThreads + threadIdx.x] = total;
}

template <bool kHalf>
__global__ void tensor_chain(float* out, const unsigned* operands) {
  float d[kChains][4] = {};
  unsigned a[4], b[kChains][2];
  for (int i = 0; i < 4; ++i) a[i] = operands[threadIdx.x % 32 + 32 * i];
  for (int i = 0; i < kChains; ++i)
    for (int j = 0; j < 2; ++j) b[i][j] = operands[(threadIdx.x + 7 * i + 3 * j) % 128];
#pragma unroll 1
  for (int n = 0; n < kLoops; ++n)
#pragma unroll
    for (int i = 0; i < kChains; ++i) {
      if constexpr (kHalf)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[i][0]), "r"(b[i][1]));
      else
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[i][0]), "r"(b[i][1]));
    }
  float total = 0;
  for (int i = 0; i < kChains; ++i) total += d[i][0] + d[i][1] + d[i][2] + d[i][3];
  out[blockIdx.x * kThreads + threadIdx.x] = total;
}

}  // namespace

double UnitRates::rate(Unit unit) const {
  switch (unit) {
    case Unit::fp32:
      return fp32;
    case Unit::half2:
      return half2;
    case Unit::tensor_tf32:
      return tensor_tf32;
    case Unit::tensor_fp16:
      return tensor_fp16;
  }
  return 0;
}

double UnitRates::bytes_floor_ms(const ConvShape& s) const {
  return 1e3 * sizeof(float) * static_cast<double>(s.x_size() + s.k_size() + s.y_size()) / bytes;
}

double UnitRates::arithmetic_floor_ms(const ConvShape& s, const Rung& rung) const {
  return 1e3 * s.flops() * rung.products / rate(rung.unit);
}

UnitRates measure_unit_rates() {
  UnitRates c;
  int device = 0;
  cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  c.device = properties.name;
  const int blocks = properties.multiProcessorCount * 8;
  DeviceBuffer<float> out(static_cast<std::size_t>(blocks) * kThreads);
  DeviceBuffer<Clocked> clocked(1);
  ColdTimer timer;

  const double threads = static_cast<double>(blocks) * kThreads;
  double ms = timer
                  .time([&](cudaStream_t s) {
                    fp32_chain<<<blocks, kThreads, 0, s>>>(out.get(), 0.999f, 0.5f, clocked.get());
                  })
                  .median;
  c.fp32 = threads * kLoops * 4 * kChains * 2 / (ms * 1e-3);
  Clocked counted;
  CUDA_CHECK(cudaMemcpy(&counted, clocked.get(), sizeof counted, cudaMemcpyDeviceToHost));
  c.clock_hz = 1e9 * static_cast<double>(counted.ticks) / static_cast<double>(counted.nanoseconds);

  ms = timer
           .time([&](cudaStream_t s) {
             half2_chain<<<blocks, kThreads, 0, s>>>(out.get(), 0.5f, 0.5f);
           })
           .median;
  c.half2 = threads * kLoops * 4 * kChains * 4 / (ms * 1e-3);

  unsigned words[128];
  DeviceBuffer<unsigned> operands(128);
  const auto load = [&](bool half) {
    for (int i = 0; i < 128; ++i) {  // reals of both signs: zeros would draw less power
      const float v = static_cast<float>((i * 37 + 11) % 101) / 101.0f - 0.5f;
      const __half2 pair = __floats2half2_rn(v, -0.7f * v);
      std::memcpy(&words[i], half ? static_cast<const void*>(&pair) : &v, sizeof words[i]);
    }
    CUDA_CHECK(cudaMemcpy(operands.get(), words, sizeof words, cudaMemcpyHostToDevice));
  };
  load(false);
  ms = timer
           .time([&](cudaStream_t s) {
             tensor_chain<false><<<blocks, kThreads, 0, s>>>(out.get(), operands.get());
           })
           .median;
  c.tensor_tf32 = threads / 32 * kLoops * kChains * (2.0 * 16 * 8 * 8) / (ms * 1e-3);
  load(true);
  ms = timer
           .time([&](cudaStream_t s) {
             tensor_chain<true><<<blocks, kThreads, 0, s>>>(out.get(), operands.get());
           })
           .median;
  c.tensor_fp16 = threads / 32 * kLoops * kChains * (2.0 * 16 * 8 * 16) / (ms * 1e-3);
  CUDA_CHECK(cudaGetLastError());

  const std::size_t bytes = std::size_t{2} << 30;
  DeviceBuffer<char> from(bytes), to(bytes);
  CUDA_CHECK(cudaMemset(from.get(), 1, bytes));
  ms = timer
           .time([&](cudaStream_t s) {
             CUDA_CHECK(cudaMemcpyAsync(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice, s));
           })
           .median;
  c.bytes = 2.0 * static_cast<double>(bytes) / (ms * 1e-3);
  ms = timer.time([&](cudaStream_t s) { CUDA_CHECK(cudaMemsetAsync(to.get(), 2, bytes, s)); })
           .median;
  c.write = static_cast<double>(bytes) / (ms * 1e-3);
  return c;
}

}  // namespace opgrade::kernels
