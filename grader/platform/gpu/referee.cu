#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/poison.hpp"
#include "grader/base/core/sign_flips.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/platform/gpu/clock_kernels.hpp"
#include "grader/platform/gpu/compare.hpp"
#include "grader/platform/gpu/device_list.hpp"
#include "grader/platform/gpu/device_memory.hpp"
#include "grader/platform/gpu/device_truth.hpp"
#include "grader/platform/gpu/host_words.hpp"
#include "grader/platform/gpu/referee.hpp"
#include "grader/platform/gpu/tensor_kernels.hpp"

namespace opgrade {
namespace {

__global__ void answer(int* to, int question) {
  *to = 3 * question + static_cast<int>(threadIdx.x);
}

class CudaReferee final : public Referee {
 public:
  explicit CudaReferee(int device) : device_(device) {
    on_device();
    uuid_ = gpu_id(device_).uuid;
    // No part of the L2 cache is set aside, so nothing of a submission survives a flush.
    if (cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0) != cudaSuccess) cudaGetLastError();
    answer_.resize(1, "answer");
    int l2 = 0;
    check_cuda(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device_), "L2 size");
    // The buffer is twice the cache and is written, not read, so nothing that the last call left
    // stays.
    flush_bytes_ = 2 * static_cast<std::size_t>(l2);
    flush_.resize(flush_bytes_, "L2 flush buffer");
    totals_.resize(1, "totals");
    watch_.resize(1, "watch");
    seen_.resize(kProofPlaces, "seen outputs");
    changes_.resize(1, "changes");
    words_.allocate();
    check_cuda(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_),
               "processors");
  }

  ~CudaReferee() override { cudaSetDevice(device_); }

  void load(DeviceProblem problem) override {
    on_device();
    problem_ = std::move(problem);
    fresh_signs_ = kAsLoaded;
    const auto x = problem_.buffers[1];
    resize(x.size(), problem_.buffers[0].size());
    check_cuda(cudaMemcpy(x_.get(), x.data(), x.size_bytes(), cudaMemcpyHostToDevice), "copy x");
    problem_.fresh_on_device = x_.get();
    if (truth_ == nullptr || truth_name_ != problem_.truth) {
      truth_ = make_device_truth(problem_.truth, own_bytes_);
      truth_name_ = problem_.truth;
    }
    truth_->load(problem_);
    const auto parts = static_cast<std::size_t>(truth_->parts_at_a_time());
    want_.resize(parts * static_cast<std::size_t>(truth_->part_elements()),
                 "double-precision outputs");
    largest_.resize(parts, "largest outputs");
  }

  void load_arena(std::size_t bytes, std::size_t output_bytes) override {
    on_device();
    problem_ = {};
    fresh_signs_ = kAsLoaded;
    const auto words = [](std::size_t count) {
      return (count + sizeof(float) - 1) / sizeof(float);
    };
    resize(words(bytes), words(output_bytes));
    // The gaps between buffers must hold no data of the grader.
    check_cuda(cudaMemset(x_.get(), kPoisonByte, bytes), "clear the arena");
  }

  void set(std::size_t at, std::span<const std::byte> values) override {
    on_device();
    check_cuda(cudaMemcpy(reinterpret_cast<std::byte*>(x_.get()) + at, values.data(), values.size(),
                          cudaMemcpyHostToDevice),
               "copy an input");
  }

  void read_output(std::span<std::byte> to) override {
    on_device();
    copy(y_.get(), their_y_.get(), y_size_);
    check_cuda(cudaMemcpy(to.data(), y_.get(), to.size_bytes(), cudaMemcpyDeviceToHost),
               "read the output");
  }

  bool attach(const SharedDeviceTensor& y, const SharedDeviceTensor& x) override {
    on_device();
    if (their_y_.open(y, sizeof(float) * y_size_) && their_x_.open(x, sizeof(float) * x_size_) &&
        both_readable()) {
      return true;
    }
    detach();
    return false;
  }

  void detach() override {
    on_device();
    their_y_.close();
    their_x_.close();
  }

  void poison() override {
    on_device();
    check_cuda(cudaMemsetAsync(their_y_.get(), kPoisonByte, sizeof(float) * y_size_), "poison y");
    check_cuda(cudaDeviceSynchronize(), "poison y");
  }

  void prepare(std::uint64_t signs, Start start) override {
    on_device();
    input_ = input(signs);
    const int byte = start == Start::poison ? kPoisonByte : 0;
    check_cuda(cudaMemsetAsync(their_y_.get(), byte, sizeof(float) * y_size_), "poison y");
    if (cudaCtxResetPersistingL2Cache() != cudaSuccess) cudaGetLastError();
  }

  void hold() override {
    on_device();
    ++turn_;
    check_cuda(cudaMemsetAsync(watch_.get(), 0, sizeof(DeviceWatch)), "watch");
    const float* const from = std::exchange(input_, nullptr);
    launch_hold(processors_, their_x_.get(), from, from != nullptr ? x_size_ : 0,
                reinterpret_cast<int4*>(flush_.get()),
                static_cast<long long>(flush_bytes_ / sizeof(int4)), flip_ = !flip_, words_.get(),
                turn_, watch_.get());
    check_cuda(cudaGetLastError(), "hold the device");
    key_ = SystemRandom()();
    words_.wait_for(HostWords::kStarted, turn_, "hold the device");
  }

  void release() override { words_.set(HostWords::kOrder, turn_); }

  void prove_done() override {
    const bool attached = their_y_.get() != nullptr;
    const float* const y = attached ? their_y_.get() : reinterpret_cast<float*>(flush_.get());
    const long long count =
        attached ? y_size_ : static_cast<long long>(flush_bytes_ / sizeof(float));
    launch_look_at_output(y, count, key_, seen_.get(), words_.get(), turn_);
    check_cuda(cudaGetLastError(), "look at the output");
    words_.wait_for(HostWords::kProven, turn_, "look at the output");
  }

  std::chrono::nanoseconds intrusion() override {
    on_device();
    DeviceWatch watch;
    check_cuda(cudaMemcpy(&watch, watch_.get(), sizeof watch, cudaMemcpyDeviceToHost), "watch");
    const std::chrono::nanoseconds pause(static_cast<long long>(watch.pause));
    return pause > kHonestPause ? pause : std::chrono::nanoseconds(0);
  }

  bool output_stayed() override {
    on_device();
    check_cuda(cudaMemsetAsync(changes_.get(), 0, sizeof(int)), "changes");
    launch_count_changes(y_.get(), y_size_, key_, seen_.get(), changes_.get());
    check_cuda(cudaGetLastError(), "compare with what was seen");
    int changes = 0;
    check_cuda(cudaMemcpy(&changes, changes_.get(), sizeof changes, cudaMemcpyDeviceToHost),
               "changes");
    return changes == 0;
  }

  const std::string& uuid() const override { return uuid_; }

  void begin_case() override {
    on_device();
    free_before_ = free_bytes() + own_bytes_;
  }

  std::int64_t free_memory() override {
    on_device();
    return static_cast<std::int64_t>(free_bytes());
  }

  void prove_usable() override {
    on_device();
    for (int question = 1; question < 4; ++question) {
      if (ask(question) != 3 * question)
        throw Error("the GPU computes wrongly after this submission", "reset or reboot it");
    }
    // A process's memory is free again within a second after the process ends, except for a little
    // that drivers keep. On a large device another program may have allocated some.
    const std::size_t kept = std::max(std::size_t{512} << 20, free_before_ / 32);
    for (int tries = 0; free_bytes() + own_bytes_ + kept < free_before_; ++tries) {
      if (tries == 100) {
        throw Error("device memory of this submission did not come back",
                    "run `nvidia-smi`; is another program using the device?");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  CheckReport check(double bound, std::uint64_t signs) override {
    on_device();
    const float* const x = input(signs);
    copy(y_.get(), their_y_.get(), y_size_);
    const int most = truth_->parts_at_a_time();
    const Comparison zero;
    check_cuda(cudaMemcpy(totals_.get(), &zero, sizeof zero, cudaMemcpyHostToDevice), "totals");
    for (int first = 0; first < truth_->parts(); first += most) {
      const int parts = std::min(most, truth_->parts() - first);
      check_cuda(cudaMemsetAsync(largest_.get(), 0, sizeof(unsigned long long) * parts), "largest");
      truth_->compute(x, want_.get(), largest_.get(), first, parts);
      launch_compare(y_.get(), want_.get(), largest_.get(), truth_->least_scales(), totals_.get(),
                     truth_->part_elements(), first, parts, bound);
      check_cuda(cudaGetLastError(), "check");
    }
    Comparison totals;
    check_cuda(cudaMemcpy(&totals, totals_.get(), sizeof totals, cudaMemcpyDeviceToHost), "totals");
    return report(totals, bound, signs);
  }

  bool answers() override {
    const bool works =
        cudaSetDevice(device_) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
    cudaGetLastError();
    return works;
  }

  void sum_checked(std::uint64_t key) override {
    on_device();
    sum_.resize(1, "sum");
    check_cuda(cudaMemsetAsync(sum_.get(), 0, sizeof(unsigned long long)), "sum");
    launch_keyed_sum(y_.get(), y_size_, key, sum_.get());
    check_cuda(cudaGetLastError(), "sum of y");
  }

  std::uint64_t sum_of_checked() override {
    on_device();
    unsigned long long sum = 0;
    check_cuda(cudaMemcpy(&sum, sum_.get(), sizeof sum, cudaMemcpyDeviceToHost), "sum of y");
    return sum;
  }

 private:
  /// A switch to another process and back takes some 300 us. A step of the grader's kernels takes a
  /// few us, and its first read of host memory up to 100 us.
  static constexpr std::chrono::nanoseconds kHonestPause = std::chrono::microseconds(200);

  void resize(std::size_t x, std::size_t y) {
    x_size_ = static_cast<std::int64_t>(x);
    y_size_ = static_cast<std::int64_t>(y);
    x_.resize(x, "the grader's copy of x");
    y_.resize(y, "the grader's copy of y");
    fresh_x_.resize(x, "the grader's copy of x");
  }

  /// CUDA keeps the current device per thread, and several threads take turns at a device.
  void on_device() const { check_cuda(cudaSetDevice(device_), "cudaSetDevice"); }

  /// Checks the tensors' sizes by copying them. A copy that leaves an allocation is refused and
  /// does no harm, even if the next allocation follows directly.
  bool both_readable() {
    fresh_signs_ = kAsLoaded;  // fresh_x_ is overwritten here
    const auto readable = [](const Opened& theirs, float* own, std::int64_t count) {
      return cudaMemcpy(own, theirs.get(), sizeof(float) * static_cast<std::size_t>(count),
                        cudaMemcpyDeviceToDevice) == cudaSuccess;
    };
    const bool both =
        readable(their_y_, y_.get(), y_size_) && readable(their_x_, fresh_x_.get(), x_size_);
    if (!both) cudaGetLastError();
    return both;
  }

  static void copy(float* to, const float* from, std::size_t count) {
    if (count > 0)
      check_cuda(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice),
                 "copy");
  }

  /// The loaded x with the signs of the seed, in the grader's own memory.
  const float* input(std::uint64_t signs) {
    if (signs == kAsLoaded) return x_.get();
    if (signs != fresh_signs_) {
      launch_turn_signs(fresh_x_.get(), x_.get(), x_size_, signs);
      check_cuda(cudaGetLastError(), "new signs");
      fresh_signs_ = signs;
    }
    return fresh_x_.get();
  }

  CheckReport report(const Comparison& totals, double bound, std::uint64_t signs) const {
    CheckReport result;
    result.checked = y_size_;
    result.tolerance = bound;
    result.error_scale = ErrorScale::image;
    result.mismatches = static_cast<std::int64_t>(totals.mismatches);
    std::memcpy(&result.worst_error, &totals.worst, sizeof result.worst_error);
    if (totals.not_a_number != 0) result.worst_error = std::numeric_limits<double>::quiet_NaN();
    if (totals.mismatches == 0) return result;
    result.first = static_cast<std::int64_t>(totals.first);
    float got = 0;
    check_cuda(cudaMemcpy(&got, y_.get() + result.first, sizeof got, cudaMemcpyDeviceToHost),
               "read y");
    result.got = got;
    const auto x = problem_.buffers[1];
    result.want = truth_->want(result.first, [&](std::int64_t at) {
      const double value = x[static_cast<std::size_t>(at)];
      const bool turned = signs != kAsLoaded && turns_sign(signs, static_cast<std::uint64_t>(at));
      return turned ? -value : value;
    });
    return result;
  }

  int ask(int question) {
    answer<<<1, 1>>>(answer_.get(), question);
    int got = 0;
    check_cuda(cudaMemcpy(&got, answer_.get(), sizeof got, cudaMemcpyDeviceToHost),
               "a control run");
    return got;
  }

  static std::size_t free_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
  }

  const int device_;
  std::string uuid_;
  std::size_t free_before_ = 0;
  std::size_t own_bytes_ = 0;
  DeviceArray<int> answer_{own_bytes_};
  DeviceProblem problem_;
  std::int64_t x_size_ = 0, y_size_ = 0;
  std::string truth_name_;
  std::unique_ptr<DeviceTruth> truth_;
  DeviceArray<float> x_{own_bytes_}, y_{own_bytes_}, fresh_x_{own_bytes_};
  std::uint64_t fresh_signs_ = kAsLoaded;  // seed of the signs in fresh_x_
  DeviceArray<double> want_{own_bytes_};
  DeviceArray<unsigned long long> largest_{own_bytes_}, sum_{own_bytes_};
  DeviceArray<Comparison> totals_{own_bytes_};
  DeviceArray<char> flush_{own_bytes_};
  std::size_t flush_bytes_ = 0;
  bool flip_ = false;
  DeviceArray<DeviceWatch> watch_{own_bytes_};
  const float* input_ = nullptr;  // the input that the next hold() writes
  DeviceArray<float> seen_{own_bytes_};
  DeviceArray<int> changes_{own_bytes_};
  std::uint64_t key_ = 0;  // of the places that the proof read
  unsigned turn_ = 0;
  int processors_ = 0;
  Opened their_y_, their_x_;
  HostWords words_;
};

}  // namespace
}  // namespace opgrade

extern "C" opgrade::Referee* opgrade_make_referee(int device) {
  return new opgrade::CudaReferee(device);
}
