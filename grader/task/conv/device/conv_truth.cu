#include <cuda_runtime.h>

#include <cmath>
#include <memory>

#include "grader/platform/gpu/device_memory.hpp"
#include "grader/platform/gpu/device_truth.hpp"
#include "grader/task/conv/conv_coordinates.hpp"
#include "grader/task/conv/device/truth.hpp"

namespace opgrade {
namespace {

constexpr int kBlock = 256;  // threads

/// The least scale of each image's errors: error_scale() of task/conv/conv_check.hpp. One block per
/// image.
__global__ void typical_outputs(const float* x, double* typical, long long per_image, double terms,
                                double k_rms) {
  __shared__ double part[kBlock];
  double sum = 0;
  for (long long i = threadIdx.x; i < per_image; i += kBlock) {
    const double value = x[blockIdx.x * per_image + i];
    sum += value * value;
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) typical[blockIdx.x] = sqrt(terms) * sqrt(part[0] / per_image) * k_rms;
}

class ConvTruth final : public DeviceTruth {
 public:
  explicit ConvTruth(std::size_t& own_bytes) : k_(own_bytes), typical_(own_bytes) {}

  void load(const DeviceProblem& problem) override {
    shape_ = shape_of(problem.sizes);
    plan_ = plan_truth(shape_);
    host_k_ = problem.buffers[2];
    k_.resize(host_k_.size(), "the grader's copy of k");
    check_cuda(cudaMemcpy(k_.get(), host_k_.data(), host_k_.size_bytes(), cudaMemcpyHostToDevice),
               "copy k");
    double squares = 0;
    for (const float v : host_k_) squares += static_cast<double>(v) * v;
    typical_.resize(static_cast<std::size_t>(shape_.B), "scales");
    typical_outputs<<<shape_.B, kBlock>>>(problem.fresh_on_device, typical_.get(), shape_.x_image(),
                                          static_cast<double>(shape_.C) * shape_.K * shape_.K,
                                          std::sqrt(squares / static_cast<double>(host_k_.size())));
    check_cuda(cudaGetLastError(), "scales");
  }

  int parts() const override { return shape_.B; }
  std::int64_t part_elements() const override { return shape_.y_image(); }
  int parts_at_a_time() const override { return truth_images_at_a_time(shape_); }
  const double* least_scales() const override { return typical_.get(); }

  void compute(const float* x, double* want, unsigned long long* largest, int first,
               int count) override {
    launch_truth(plan_, x, k_.get(), want, largest, shape_, first, count);
  }

  double want(std::int64_t index,
              const std::function<double(std::int64_t)>& fresh_x) const override {
    const auto place = place_in_y(shape_, index);
    const std::int64_t b = place[0].value, m = place[1].value, h = place[2].value,
                       w = place[3].value;
    double sum = 0;
    for (int c = 0; c < shape_.C; ++c)
      for (int p = 0; p < shape_.K; ++p)
        for (int q = 0; q < shape_.K; ++q)
          sum +=
              fresh_x(((b * shape_.C + c) * shape_.H + h * shape_.S + p) * shape_.W + w * shape_.S +
                      q) *
              host_k_[static_cast<std::size_t>(((m * shape_.C + c) * shape_.K + p) * shape_.K + q)];
    return sum;
  }

 private:
  ConvShape shape_;
  TruthPlan plan_;
  std::span<const float> host_k_;
  DeviceArray<float> k_;
  DeviceArray<double> typical_;
};

}  // namespace

std::unique_ptr<DeviceTruth> conv_device_truth(std::size_t& own_bytes) {
  return std::make_unique<ConvTruth>(own_bytes);
}

}  // namespace opgrade
