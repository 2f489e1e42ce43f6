// Stands in for the header of this name in NVIDIA's CUDA samples, which no toolkit contains: its
// checks, and its choice of a device. A submission's own copy is found first.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace opgrade_helper {

inline const char* name_of(cudaError_t error) { return cudaGetErrorName(error); }
/// For the status of other libraries, such as cuBLAS: the message has its number.
template <class Status>
const char* name_of(Status) {
  return "not a status of the CUDA runtime";
}

template <class Status>
void require(Status status, const char* call, const char* file, int line) {
  if (static_cast<int>(status) == 0) return;
  std::fprintf(stderr, "%s:%d: %s failed with %d (%s)\n", file, line, call,
               static_cast<int>(status), name_of(status));
  std::exit(EXIT_FAILURE);
}

inline void report_last(const char* message, const char* file, int line, bool leave) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s: %d (%s), %s\n", file, line, message, static_cast<int>(error),
               cudaGetErrorName(error), cudaGetErrorString(error));
  if (leave) std::exit(EXIT_FAILURE);
}

}  // namespace opgrade_helper

#define checkCudaErrors(call) opgrade_helper::require((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) opgrade_helper::report_last((message), __FILE__, __LINE__, true)
#define printLastCudaError(message) \
  opgrade_helper::report_last((message), __FILE__, __LINE__, false)

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

/// A submission has one device, so the command line is ignored.
inline int gpuDeviceInit(int device) {
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int, const char**) { return gpuDeviceInit(0); }
