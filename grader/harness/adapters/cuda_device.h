/* What every adapter of a CUDA interface needs of the device; included by it, for nvcc and for the
 * emulated device alike. */
#ifndef OPGRADE_CUDA_DEVICE_H
#define OPGRADE_CUDA_DEVICE_H

#include <cuda_runtime.h>
#include <string.h>

#include "submission_abi.h"

#ifdef OPGRADE_EMULATED
extern "C" const char* opgrade_emulation_findings(void);
#else
#include <dlfcn.h>
#endif

namespace opgrade_adapter {

/* Errors of calls that neither launch, copy nor allocate, such as cudaSetDevice(1) where there is
 * one device: nothing of what was asked for is missing, so the outputs decide. */
inline bool leaves_outputs_alone(cudaError_t status) {
  return status == cudaErrorInvalidDevice || status == cudaErrorPeerAccessUnsupported ||
         status == cudaErrorPeerAccessAlreadyEnabled || status == cudaErrorPeerAccessNotEnabled ||
         status == cudaErrorHostMemoryAlreadyRegistered ||
         status == cudaErrorHostMemoryNotRegistered || status == cudaErrorUnsupportedLimit;
}

inline int synchronize(const char** error) {
  cudaError_t status = cudaDeviceSynchronize();
  if (status == cudaSuccess) status = cudaGetLastError();
  if (leaves_outputs_alone(status)) status = cudaSuccess;
  if (status != cudaSuccess) *error = cudaGetErrorString(status);
  return static_cast<int>(status);
}

/* Device time of one forward that asks for it. Events on the legacy stream order themselves against
 * every blocking stream, not against non-blocking ones: the harness's clock, which waits for the
 * whole device, covers those. */
class DeviceTimer {
 public:
  explicit DeviceTimer(opgrade_call* call) : call_(call->events ? call : nullptr) {
    if (!call_) return;
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
    cudaEventRecord(begin_, 0);
  }
  void stop() {
    if (!call_) return;
    cudaEventRecord(end_, 0);
    cudaEventSynchronize(end_);
    if (cudaEventElapsedTime(&call_->device_ms, begin_, end_) != cudaSuccess) call_->device_ms = 0;
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

 private:
  opgrade_call* call_;
  cudaEvent_t begin_, end_;
};

#ifdef OPGRADE_EMULATED
constexpr void (*touch)(void) = nullptr;
inline const char* findings(void) { return opgrade_emulation_findings(); }
constexpr int (*share)(const opgrade_call*, opgrade_shared*) = nullptr;
template <int kFresh>
constexpr int (*share_with)(const opgrade_call*, opgrade_shared*) = nullptr;
#else
static __global__ void nothing() {}

/* Two processes share the device in turns; the first launch after the other's work waits for the
 * switch (about 130 us on an H200). */
inline void touch(void) {
  // clang-format off
  nothing<<<1, 1>>>();
  // clang-format on
  cudaDeviceSynchronize();
}

constexpr const char* (*findings)(void) = nullptr;

/* Start of the allocation that `pointer` lies in, from the driver that the runtime has loaded. */
inline int share_one(const void* pointer, opgrade_shared* shared) {
  typedef int (*AddressRange)(unsigned long long*, size_t*, unsigned long long);
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  AddressRange range =
      driver ? reinterpret_cast<AddressRange>(dlsym(driver, "cuMemGetAddressRange_v2")) : nullptr;
  unsigned long long base = 0;
  size_t size = 0;
  const unsigned long long address = reinterpret_cast<unsigned long long>(pointer);
  if (!pointer || !range || range(&base, &size, address) != 0) return 1;
  cudaIpcMemHandle_t handle;
  if (cudaIpcGetMemHandle(&handle, const_cast<void*>(pointer)) != cudaSuccess) {
    cudaGetLastError(); /* memory that cannot be shared (managed, pooled) is no error of the
                           submission */
    return 1;
  }
  memcpy(shared->handle, &handle, sizeof shared->handle);
  shared->offset = address - base;
  return 0;
}

/* The output and the input that the grader makes fresh on the device. */
template <int kFresh>
inline int share_with(const opgrade_call* c, opgrade_shared* shared) {
  return share_one(c->device[0], &shared[0]) || share_one(c->device[kFresh], &shared[1]);
}
constexpr int (*share)(const opgrade_call*, opgrade_shared*) = share_with<1>;
#endif

}  // namespace opgrade_adapter

#endif
