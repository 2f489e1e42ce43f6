/// Device memory of the grader and of the submission, for the referee's CUDA part.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/platform/gpu/referee.hpp"

namespace opgrade {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw Error(
      std::string("the grader's own GPU work failed: ") + what + ": " + cudaGetErrorString(status),
      "run `nvidia-smi`; is another program using the device?");
}

/// Device memory of the grader. Adds its size to `own_bytes`, which must outlive it.
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

}  // namespace opgrade
