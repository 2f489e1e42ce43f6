/// Words in host memory that the referee's kernels and the host exchange, each on a cache line of
/// its own.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/platform/gpu/device_memory.hpp"

namespace opgrade {

class HostWords {
 public:
  static constexpr int kStarted = 0, kOrder = 16, kProven = 32, kWords = 48;

  HostWords() = default;
  HostWords(const HostWords&) = delete;
  HostWords& operator=(const HostWords&) = delete;
  ~HostWords() {
    if (words_ != nullptr) cudaFreeHost(words_);
  }

  /// Allocates zeros on CUDA's current device.
  void allocate() {
    void* words = nullptr;
    check_cuda(cudaHostAlloc(&words, kWords * sizeof(unsigned), cudaHostAllocMapped), "host words");
    std::memset(words, 0, kWords * sizeof(unsigned));
    words_ = static_cast<unsigned*>(words);
  }

  /// The words' address for kernels: the same as on the host.
  unsigned* get() const { return words_; }

  void set(int word, unsigned value) {
    std::atomic_ref(words_[word]).store(value, std::memory_order_release);
  }

  /// Polls, because waking a sleeping thread takes longer than what is timed.
  void wait_for(int word, unsigned value, const char* what) {
    using Clock = std::chrono::steady_clock;
    auto look = Clock::now() + std::chrono::milliseconds(20);
    const auto give_up = Clock::now() + std::chrono::seconds(60);
    while (std::atomic_ref(words_[word]).load(std::memory_order_acquire) != value) {
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

 private:
  unsigned* words_ = nullptr;
};

}  // namespace opgrade
