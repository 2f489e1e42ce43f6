#include <algorithm>

#include "kernels/bench/timing.hpp"

namespace opgrade::kernels {
namespace {

__global__ void read_all(const float4* from, std::size_t count, float* sink) {
  float sum = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const float4 v = from[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345.0f) *sink = sum;  // never; keeps the loads
}

std::size_t flush_floats() {
  int device = 0, l2 = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
  return std::size_t{2} * l2 / sizeof(float) + (1 << 20);
}

}  // namespace

bool have_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
    cudaGetLastError();
    return false;
  }
  CUDA_CHECK(status);
  return count > 0;
}

ColdTimer::ColdTimer() : written_(flush_floats()), read_(flush_floats()), sink_(1) {
  CUDA_CHECK(cudaMemset(read_.get(), 0, read_.size() * sizeof(float)));
}

double ColdTimer::sample(const std::function<void(cudaStream_t)>& work) {
  const cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaMemsetAsync(written_.get(), 1, written_.size() * sizeof(float), stream));
  read_all<<<1024, 256, 0, stream>>>(reinterpret_cast<const float4*>(read_.get()), read_.size() / 4,
                                     sink_.get());
  CUDA_CHECK(cudaGetLastError());
  from_.record(stream);
  work(stream);
  to_.record(stream);
  return elapsed_ms(from_, to_);
}

Samples ColdTimer::time(const std::function<void(cudaStream_t)>& work, int most, double enough_ms,
                        double give_up_ms) {
  const double first = sample(work);
  if (first > give_up_ms) return {first, first, first, 1};
  std::vector<double> ms;
  double spent = 0;
  while (static_cast<int>(ms.size()) < most && (ms.size() < 3 || spent < enough_ms)) {
    ms.push_back(sample(work));
    spent += ms.back();
  }
  std::sort(ms.begin(), ms.end());
  const std::size_t n = ms.size();
  return {n % 2 ? ms[n / 2] : (ms[n / 2 - 1] + ms[n / 2]) / 2, ms.front(), ms.back(),
          static_cast<int>(n)};
}

}  // namespace opgrade::kernels
