/// The plumbing every rung shares. It is also pasted into the submissions that export.sh writes, so
/// it needs nothing but CUDA, the standard library and C++17.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "reference/conv_shape.hpp"

namespace opgrade::kernels {

/// Device memory a launch may scribble on; at least Rung::workspace_bytes(shape) long.
struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

inline void cuda_check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // do not leave it for the next caller
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                           cudaGetErrorString(status));
}
// Without the folder, where the compiler knows it: GCC 12.
#ifdef __FILE_NAME__
#define OPGRADE_FILE __FILE_NAME__
#else
#define OPGRADE_FILE __FILE__
#endif
#define CUDA_CHECK(call) ::opgrade::kernels::cuda_check((call), #call, OPGRADE_FILE, __LINE__)

template <class T>
__host__ __device__ constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

/// ConvShape as device code sees it: plain numbers, the derived sizes worked out on the host.
struct Dims {
  int B, M, C, H, W, K, S, Ho, Wo;
  int taps;    ///< C*K*K, the length of one output's sum
  int pixels;  ///< Ho*Wo, one output map
  std::int64_t x_image, y_image;
};

inline Dims dims(const ConvShape& s) {
  return {s.B,
          s.M,
          s.C,
          s.H,
          s.W,
          s.K,
          s.S,
          s.H_out(),
          s.W_out(),
          s.C * s.K * s.K,
          s.H_out() * s.W_out(),
          s.x_image(),
          s.y_image()};
}

/// The shared memory one block may ask for on Hopper, and without asking on any device.
inline constexpr std::size_t kSharedMost = 227 * 1024;
inline constexpr std::size_t kSharedPlain = 48 * 1024;

/// Raises a kernel's dynamic shared memory limit to `bytes`. Declared shared memory counts against
/// the plain limit too, so the limit is raised a little early.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes) {
  if (bytes + 1024 > kSharedPlain) {
    CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
  }
}

/// Grid dimensions y and z end at 65535; x does not in practice.
inline constexpr int kGridYMost = 65535;

}  // namespace opgrade::kernels
