/// Owners of device memory, events and streams for the benchmark.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "kernels/common.cuh"

namespace opgrade::kernels {

/// True where a CUDA device can be used. A missing driver and a missing device both mean no; any
/// other answer of the runtime is a fault and throws std::runtime_error.
bool have_gpu();

/// Device memory, 256-byte aligned as cudaMalloc gives it. Not copyable.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    void* p = nullptr;
    CUDA_CHECK(cudaMalloc(&p, (size ? size : 1) * sizeof(T)));
    data_.reset(static_cast<T*>(p));
  }
  T* get() const { return data_.get(); }
  std::size_t size() const { return size_; }

  /// Makes room for `size` elements; what was there is lost when it has to grow.
  void grow(std::size_t size) {
    if (size <= size_) return;
    data_.reset();
    *this = DeviceBuffer(size);
  }

 private:
  struct Free {
    void operator()(T* p) const noexcept { cudaFree(p); }
  };
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

class Event {
 public:
  Event() { CUDA_CHECK(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { CUDA_CHECK(cudaEventRecord(event_, stream)); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Milliseconds between two recorded events; waits for the second.
inline double elapsed_ms(const Event& from, const Event& to) {
  CUDA_CHECK(cudaEventSynchronize(to.get()));
  float ms = 0;
  CUDA_CHECK(cudaEventElapsedTime(&ms, from.get(), to.get()));
  return ms;
}

}  // namespace opgrade::kernels
