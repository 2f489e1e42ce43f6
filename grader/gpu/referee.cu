#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "grader/core/error.hpp"
#include "grader/core/keyed_sum.hpp"
#include "grader/core/poison.hpp"
#include "grader/core/random_words.hpp"
#include "grader/core/sign_flips.hpp"
#include "grader/core/system_random.hpp"
#include "grader/gpu/compare.hpp"
#include "grader/gpu/referee.hpp"
#include "grader/gpu/truth.hpp"

namespace opgrade {
namespace {

constexpr int kBlock = 256;  // threads

void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw Error(
      std::string("the grader's own GPU work failed: ") + what + ": " + cudaGetErrorString(status),
      "run `nvidia-smi`; is another program using the device?");
}

/// Memory of the grader on one device. Adds its size to `own_bytes`, which outlives it.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t& own_bytes) : own_bytes_(own_bytes) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  void resize(std::size_t count, const char* what) {
    if (count <= size_) return;
    reset();
    check_cuda(cudaMalloc(&data_, count * sizeof(T)), what);
    size_ = count;
    own_bytes_ += count * sizeof(T);
  }
  void reset() {
    if (data_ != nullptr) cudaFree(data_);
    own_bytes_ -= size_ * sizeof(T);
    data_ = nullptr;
    size_ = 0;
  }
  ~DeviceArray() { reset(); }
  T* get() const { return data_; }

 private:
  std::size_t& own_bytes_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Device memory of the submission's process.
class Opened {
 public:
  bool open(const SharedDeviceTensor& tensor, std::size_t bytes) {
    close();
    cudaIpcMemHandle_t handle;
    if (tensor.handle.size() != sizeof handle) return false;
    std::memcpy(&handle, tensor.handle.data(), sizeof handle);
    if (cudaIpcOpenMemHandle(&base_, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
      cudaGetLastError();
      base_ = nullptr;
      return false;
    }
    // The offset comes from the submission's process. An access beyond the allocation would fault
    // in the grader's context, so the copy engine touches the last byte first.
    data_ = static_cast<char*>(base_) + tensor.offset;
    char last;
    if (cudaMemcpy(&last, data_ + bytes - 1, 1, cudaMemcpyDeviceToHost) != cudaSuccess) {
      cudaGetLastError();
      close();
      return false;
    }
    return true;
  }
  void close() {
    if (base_ != nullptr) cudaIpcCloseMemHandle(base_);
    base_ = nullptr;
    data_ = nullptr;
  }
  ~Opened() { close(); }
  float* get() const { return reinterpret_cast<float*>(data_); }

 private:
  void* base_ = nullptr;
  char* data_ = nullptr;
};

/// A holding kernel's record of itself.
struct Watch {
  unsigned long long pause;  ///< ns; longest time between two of its steps
  unsigned waiting;          ///< blocks that have done their part of the preparation
};

__device__ unsigned long long device_clock() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

/// One thread's part of a Watch: when another process has the device, all threads of this one
/// pause.
class Pulse {
 public:
  __device__ Pulse() : last_(device_clock()) {}
  __device__ void beat() {
    const unsigned long long now = device_clock();
    if (now - last_ > pause_) pause_ = now - last_;
    last_ = now;
  }
  __device__ unsigned long long pause() const { return pause_; }

 private:
  unsigned long long last_;
  unsigned long long pause_ = 0;
};

/// to = from with the signs of `seed`; a grid of any size.
__global__ void turn_signs(float* to, const float* from, long long count, std::uint64_t seed) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    to[i] = turns_sign(seed, static_cast<std::uint64_t>(i)) ? -from[i] : from[i];
  }
}

// Words in host memory that kernel and host exchange, each on a cache line of its own.
constexpr int kStarted = 0, kOrder = 16, kProven = 32, kWords = 48;

constexpr unsigned long long kLongestHold = 50'000'000;  // ns; then the grader is gone

/// Writes the input, fills the cache with other lines, and then keeps the device: contexts of other
/// processes run in turns with this one. One kernel, so that nothing of the host's delays shows as
/// a pause. All blocks must be resident.
__global__ void prepare_and_hold(float* x, const float* input, long long count, int4* lines,
                                 long long line_count, int value, volatile unsigned* words,
                                 unsigned turn, Watch* watch) {
  Pulse pulse;
  const bool watches = threadIdx.x == 0;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long first = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long long i = first; i < count; i += step) {
    x[i] = input[i];
    if (watches) pulse.beat();
  }
  for (long long i = first; i < line_count; i += step) {
    lines[i] = make_int4(value, value, value, value);
    if (watches) pulse.beat();
  }
  __syncthreads();
  if (!watches) return;
  if (blockIdx.x != 0) {
    __threadfence();
    atomicAdd(&watch->waiting, 1U);
    atomicMax(&watch->pause, pulse.pause());
    return;
  }
  while (*static_cast<volatile unsigned*>(&watch->waiting) != gridDim.x - 1) pulse.beat();
  unsigned order = words[kOrder];  // finds the address: that alone may take 100 us
  pulse.beat();
  const unsigned long long before = pulse.pause();
  Pulse holding;
  const unsigned long long begin = device_clock();
  words[kStarted] = turn;
  __threadfence_system();
  while (order != turn && device_clock() - begin < kLongestHold) {
    order = words[kOrder];
    holding.beat();
  }
  atomicMax(&watch->pause, max(before, holding.pause()));
}

constexpr int kProofThreads = 1024;
constexpr int kProofPlaces = 4 * kProofThreads;

__device__ long long proof_place(std::uint64_t key, int i, long long count) {
  return static_cast<long long>(random_word(key, static_cast<std::uint64_t>(i)) %
                                static_cast<std::uint64_t>(count));
}

/// One block: values of y at the places of `key`. The clock stops when it begins, since from then
/// on the device is the grader's. Finding the addresses of a large y takes some 50 us.
__global__ void look_at_output(const volatile float* y, long long count, std::uint64_t key,
                               float* seen, volatile unsigned* words, unsigned turn) {
  if (threadIdx.x == 0) {
    words[kProven] = turn;
    __threadfence_system();
  }
  for (int i = threadIdx.x; i < kProofPlaces; i += kProofThreads)
    seen[i] = y[proof_place(key, i, count)];
}

/// One block: how many of them differ now, bit for bit.
__global__ void count_changes(const float* y, long long count, std::uint64_t key, const float* seen,
                              int* changes) {
  for (int i = threadIdx.x; i < kProofPlaces; i += kProofThreads) {
    if (__float_as_uint(y[proof_place(key, i, count)]) != __float_as_uint(seen[i]))
      atomicAdd(changes, 1);
  }
}

/// Adds the keyed sum of values (core/keyed_sum.hpp) to *sum; a grid of any size.
__global__ void keyed_sums(const float* values, long long count, std::uint64_t key,
                           unsigned long long* sum) {
  __shared__ unsigned long long part[kBlock];
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    mine += keyed_term(key, static_cast<std::uint64_t>(i), __float_as_uint(values[i]));
  }
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

/// Sum of squares of each image's x, one block an image.
__global__ void squares(const float* x, double* sums, long long per_image) {
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
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void answer(int* to, int question) {
  *to = 3 * question + static_cast<int>(threadIdx.x);
}

std::string words_of(const cudaUUID_t& uuid) {
  std::string words = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) words += '-';
    constexpr const char* kDigits = "0123456789abcdef";
    words += kDigits[static_cast<unsigned char>(uuid.bytes[i]) >> 4];
    words += kDigits[static_cast<unsigned char>(uuid.bytes[i]) & 15];
  }
  return words;
}

GpuId id_of(int device) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return {properties.name, words_of(properties.uuid)};
}

class CudaReferee final : public Referee {
 public:
  explicit CudaReferee(int device) : device_(device) {
    on_device();
    uuid_ = id_of(device_).uuid;
    // Nothing of a submission survives a flush in the part of the cache that can be set aside.
    if (cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0) != cudaSuccess) cudaGetLastError();
    answer_.resize(1, "answer");
    int l2 = 0;
    check_cuda(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device_), "L2 size");
    // Written, not read, and twice the cache: what the last call left there is gone.
    flush_bytes_ = 2 * static_cast<std::size_t>(l2);
    flush_.resize(flush_bytes_, "L2 flush buffer");
    totals_.resize(1, "totals");
    watch_.resize(1, "watch");
    seen_.resize(kProofPlaces, "seen outputs");
    changes_.resize(1, "changes");
    void* words = nullptr;
    check_cuda(cudaHostAlloc(&words, kWords * sizeof(unsigned), cudaHostAllocMapped), "host words");
    std::memset(words, 0, kWords * sizeof(unsigned));
    words_ = static_cast<unsigned*>(words);
    check_cuda(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_),
               "processors");
  }

  ~CudaReferee() override {
    cudaSetDevice(device_);
    cudaFreeHost(words_);
  }

  void load(const ConvShape& shape, const float* x, const float* k) override {
    on_device();
    shape_ = shape;
    fresh_signs_ = kAsLoaded;
    host_x_ = x;
    host_k_ = k;
    x_.resize(static_cast<std::size_t>(shape.x_size()), "the grader's copy of x");
    k_.resize(static_cast<std::size_t>(shape.k_size()), "the grader's copy of k");
    y_.resize(static_cast<std::size_t>(shape.y_size()), "the grader's copy of y");
    fresh_x_.resize(static_cast<std::size_t>(shape.x_size()), "the grader's copy of x");
    want_.resize(static_cast<std::size_t>(truth_images_at_a_time(shape_)) * shape.y_image(),
                 "double-precision outputs");
    largest_.resize(truth_images_at_a_time(shape_), "largest outputs");
    check_cuda(cudaMemcpy(x_.get(), x, sizeof(float) * shape.x_size(), cudaMemcpyHostToDevice),
               "copy x");
    check_cuda(cudaMemcpy(k_.get(), k, sizeof(float) * shape.k_size(), cudaMemcpyHostToDevice),
               "copy k");
    x_squares_.resize(static_cast<std::size_t>(shape.B), "squares of x");
    squares<<<shape.B, kBlock>>>(x_.get(), x_squares_.get(), shape.x_image());
    check_cuda(cudaGetLastError(), "squares of x");
    double k_squares = 0;
    for (std::int64_t i = 0; i < shape.k_size(); ++i) k_squares += static_cast<double>(k[i]) * k[i];
    k_rms_ = std::sqrt(k_squares / static_cast<double>(shape.k_size()));
  }

  bool attach(const SharedDeviceTensor& y, const SharedDeviceTensor& x) override {
    on_device();
    if (their_y_.open(y, sizeof(float) * shape_.y_size()) &&
        their_x_.open(x, sizeof(float) * shape_.x_size()) && both_readable()) {
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
    check_cuda(cudaMemsetAsync(their_y_.get(), kPoisonByte, sizeof(float) * shape_.y_size()),
               "poison y");
    check_cuda(cudaDeviceSynchronize(), "poison y");
  }

  void prepare(std::uint64_t signs, Start start) override {
    on_device();
    input_ = input(signs);
    const int byte = start == Start::poison ? kPoisonByte : 0;
    check_cuda(cudaMemsetAsync(their_y_.get(), byte, sizeof(float) * shape_.y_size()), "poison y");
    if (cudaCtxResetPersistingL2Cache() != cudaSuccess) cudaGetLastError();
  }

  void hold() override {
    on_device();
    ++turn_;
    check_cuda(cudaMemsetAsync(watch_.get(), 0, sizeof(Watch)), "watch");
    const float* const from = std::exchange(input_, nullptr);
    prepare_and_hold<<<4 * processors_, kBlock>>>(
        their_x_.get(), from, from != nullptr ? shape_.x_size() : 0,
        reinterpret_cast<int4*>(flush_.get()), static_cast<long long>(flush_bytes_ / sizeof(int4)),
        flip_ = !flip_, words_, turn_, watch_.get());
    check_cuda(cudaGetLastError(), "hold the device");
    wait_for(kStarted, "hold the device");
  }

  void release() override {
    std::atomic_ref(words_[kOrder]).store(turn_, std::memory_order_release);
  }

  void prove_done() override {
    on_device();
    key_ = SystemRandom()();
    const bool attached = their_y_.get() != nullptr;
    const float* const y = attached ? their_y_.get() : reinterpret_cast<float*>(flush_.get());
    const long long count =
        attached ? shape_.y_size() : static_cast<long long>(flush_bytes_ / sizeof(float));
    look_at_output<<<1, kProofThreads>>>(y, count, key_, seen_.get(), words_, turn_);
    check_cuda(cudaGetLastError(), "look at the output");
    wait_for(kProven, "look at the output");
  }

  std::chrono::nanoseconds intrusion() override {
    on_device();
    Watch watch;
    check_cuda(cudaMemcpy(&watch, watch_.get(), sizeof watch, cudaMemcpyDeviceToHost), "watch");
    const std::chrono::nanoseconds pause(static_cast<long long>(watch.pause));
    return pause > kHonestPause ? pause : std::chrono::nanoseconds(0);
  }

  bool output_stayed() override {
    on_device();
    check_cuda(cudaMemsetAsync(changes_.get(), 0, sizeof(int)), "changes");
    count_changes<<<1, kProofThreads>>>(y_.get(), shape_.y_size(), key_, seen_.get(),
                                        changes_.get());
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
    // A process's memory comes back within a second after its end; drivers keep a little.
    constexpr std::size_t kKept = std::size_t{512} << 20;
    for (int tries = 0; free_bytes() + own_bytes_ + kKept < free_before_; ++tries) {
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
    copy(y_.get(), their_y_.get(), shape_.y_size());
    const TruthPlan plan = plan_truth(shape_);
    const int most = truth_images_at_a_time(shape_);
    const Comparison zero;
    check_cuda(cudaMemcpy(totals_.get(), &zero, sizeof zero, cudaMemcpyHostToDevice), "totals");
    for (int first = 0; first < shape_.B; first += most) {
      const int images = std::min(most, shape_.B - first);
      check_cuda(cudaMemsetAsync(largest_.get(), 0, sizeof(unsigned long long) * images),
                 "largest");
      launch_truth(plan, x, k_.get(), want_.get(), largest_.get(), shape_, first, images);
      launch_compare(y_.get(), want_.get(), largest_.get(), x_squares_.get(), k_rms_, totals_.get(),
                     shape_, first, images, bound);
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
    constexpr int kBlocks = 4096;
    keyed_sums<<<kBlocks, kBlock>>>(y_.get(), shape_.y_size(), key, sum_.get());
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
  /// few, and its first read of host memory up to 100.
  static constexpr std::chrono::nanoseconds kHonestPause = std::chrono::microseconds(200);

  /// Polls, because waking a sleeper takes longer than what is timed.
  void wait_for(int word, const char* what) {
    using Clock = std::chrono::steady_clock;
    auto look = Clock::now() + std::chrono::milliseconds(20);
    const auto give_up = Clock::now() + std::chrono::seconds(60);
    while (std::atomic_ref(words_[word]).load(std::memory_order_acquire) != turn_) {
      const auto now = Clock::now();
      if (now < look) continue;
      look = now + std::chrono::milliseconds(20);
      const cudaError_t status = cudaStreamQuery(nullptr);
      if (status != cudaErrorNotReady) check_cuda(status, what);
      if (now > give_up)
        throw Error(std::string("the GPU does not answer: ") + what,
                    "run `nvidia-smi`; is another program using the device?");
    }
  }

  /// CUDA's current device is the thread's, and threads take turns at a device.
  void on_device() const { check_cuda(cudaSetDevice(device_), "cudaSetDevice"); }

  /// Checks the tensors' sizes. A copy that leaves an allocation is refused and does no harm, even
  /// where the next allocation follows at once.
  bool both_readable() {
    fresh_signs_ = kAsLoaded;  // fresh_x_ is written to here
    const auto readable = [](const Opened& theirs, float* own, std::int64_t count) {
      return cudaMemcpy(own, theirs.get(), sizeof(float) * static_cast<std::size_t>(count),
                        cudaMemcpyDeviceToDevice) == cudaSuccess;
    };
    const bool both = readable(their_y_, y_.get(), shape_.y_size()) &&
                      readable(their_x_, fresh_x_.get(), shape_.x_size());
    if (!both) cudaGetLastError();
    return both;
  }

  static void copy(float* to, const float* from, std::size_t count) {
    if (count > 0)
      check_cuda(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice),
                 "copy");
  }

  /// The loaded x with these signs, in the grader's own memory.
  const float* input(std::uint64_t signs) {
    if (signs == kAsLoaded) return x_.get();
    if (signs != fresh_signs_) {
      constexpr int kBlocks = 4096;
      turn_signs<<<kBlocks, kBlock>>>(fresh_x_.get(), x_.get(), shape_.x_size(), signs);
      check_cuda(cudaGetLastError(), "new signs");
      fresh_signs_ = signs;
    }
    return fresh_x_.get();
  }

  CheckReport report(const Comparison& totals, double bound, std::uint64_t signs) const {
    CheckReport result;
    result.checked = shape_.y_size();
    result.tolerance = bound;
    result.mismatches = static_cast<std::int64_t>(totals.mismatches);
    std::memcpy(&result.worst_error, &totals.worst, sizeof result.worst_error);
    if (totals.not_a_number != 0) result.worst_error = std::numeric_limits<double>::quiet_NaN();
    if (totals.mismatches == 0) return result;
    result.first = static_cast<std::int64_t>(totals.first);
    std::int64_t rest = result.first;
    const auto w = static_cast<int>(rest % shape_.W_out());
    const auto h = static_cast<int>((rest /= shape_.W_out()) % shape_.H_out());
    const auto m = static_cast<int>((rest /= shape_.H_out()) % shape_.M);
    const auto b = static_cast<int>(rest / shape_.M);
    float got = 0;
    check_cuda(cudaMemcpy(&got, y_.get() + result.first, sizeof got, cudaMemcpyDeviceToHost),
               "read y");
    result.got = got;
    for (int c = 0; c < shape_.C; ++c)
      for (int p = 0; p < shape_.K; ++p)
        for (int q = 0; q < shape_.K; ++q) {
          const std::int64_t at =
              ((b * std::int64_t{shape_.C} + c) * shape_.H + h * shape_.S + p) * shape_.W +
              w * shape_.S + q;
          const double x = host_x_[at];
          const bool turned =
              signs != kAsLoaded && turns_sign(signs, static_cast<std::uint64_t>(at));
          result.want +=
              (turned ? -x : x) * host_k_[((m * shape_.C + c) * shape_.K + p) * shape_.K + q];
        }
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
  ConvShape shape_;
  const float* host_x_ = nullptr;
  const float* host_k_ = nullptr;
  DeviceArray<float> x_{own_bytes_}, k_{own_bytes_}, y_{own_bytes_}, fresh_x_{own_bytes_};
  std::uint64_t fresh_signs_ = kAsLoaded;  // of fresh_x_
  DeviceArray<double> want_{own_bytes_}, x_squares_{own_bytes_};
  double k_rms_ = 0;
  DeviceArray<unsigned long long> largest_{own_bytes_}, sum_{own_bytes_};
  DeviceArray<Comparison> totals_{own_bytes_};
  DeviceArray<char> flush_{own_bytes_};
  std::size_t flush_bytes_ = 0;
  bool flip_ = false;
  DeviceArray<Watch> watch_{own_bytes_};
  const float* input_ = nullptr;  // that the next hold() writes
  DeviceArray<float> seen_{own_bytes_};
  DeviceArray<int> changes_{own_bytes_};
  std::uint64_t key_ = 0;      // of the places that were read
  unsigned* words_ = nullptr;  // host memory that the device sees at the same address
  unsigned turn_ = 0;
  int processors_ = 0;
  Opened their_y_, their_x_;
};

}  // namespace
}  // namespace opgrade

/// As CUDA_VISIBLE_DEVICES shows and orders them.
extern "C" void opgrade_list_gpus(std::vector<opgrade::GpuId>& to) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  for (int device = 0; device < devices; ++device) to.push_back(opgrade::id_of(device));
}

extern "C" opgrade::Referee* opgrade_make_referee(int device) {
  return new opgrade::CudaReferee(device);
}
