/* What every adapter of a CUDA interface needs of the device. Adapters include it, for nvcc and for
 * the emulated device. */
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

/* True if the process uses the device already. Any other question would start the device. */
#ifdef OPGRADE_EMULATED
inline bool is_started(int) { return true; }
#else
inline bool is_started(int device) {
  typedef int (*ContextState)(int, unsigned*, int*);
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  ContextState state =
      driver ? reinterpret_cast<ContextState>(dlsym(driver, "cuDevicePrimaryCtxGetState"))
             : nullptr;
  unsigned flags = 0;
  int active = 0;
  return state && state(device, &flags, &active) == 0 && active;
}
#endif

/* For a submission that sees several devices. The grader proves the end of a call on device 0,
 * which has the output, but work on other devices may go on. Device 0 is current afterwards, as it
 * was before the call. */
inline void finish_other_devices(void) {
  static const int devices = [] {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 1;
  }();
  if (devices < 2) return;
  for (int device = 1; device < devices; ++device)
    if (is_started(device) && cudaSetDevice(device) == cudaSuccess) cudaDeviceSynchronize();
  cudaSetDevice(0);
}

/* True if the device cannot run what was built, so that no output says anything of the source. */
inline bool is_of_binary(cudaError_t status) {
  return status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidKernelImage ||
         status == cudaErrorUnsupportedPtxVersion || status == cudaErrorInvalidPtx;
}

/* Returns the error of the wait for the device, such as that of a kernel that failed, or 0. `error`
 * also gets the words of a call that failed and left the device as it was, such as a refused
 * launch: whether that matters, the outputs tell. The code of such a call does not say what it was:
 * a refused launch is cudaErrorInvalidConfiguration in CUDA 12, and in CUDA 13
 * cudaErrorInvalidValue, as for a bad copy. */
inline int synchronize(const char** error) {
  cudaError_t status = cudaDeviceSynchronize();
  const bool works = status == cudaSuccess;
  if (works) status = cudaGetLastError();
  if (status != cudaSuccess) *error = cudaGetErrorString(status);
  return works && !is_of_binary(status) ? 0 : static_cast<int>(status);
}

/* Device time of a forward, if the grader asks for it. Events on the legacy stream order themselves
 * against every blocking stream, but not against non-blocking ones. The harness's clock covers
 * those, because it waits for the whole device. */
class DeviceTimer {
 public:
  explicit DeviceTimer(opgrade_call* call) : call_(call->events ? call : nullptr) {
    if (!call_) return;
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
    cudaEventRecord(begin_, 0);
  }
  void stop() {
    finish_other_devices();
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

/* Two processes take turns at the device, so the first launch after work of the other process waits
 * for the switch (about 130 us on an H200). */
inline void touch(void) {
  // clang-format off
  nothing<<<1, 1>>>();
  // clang-format on
  cudaDeviceSynchronize();
}

constexpr const char* (*findings)(void) = nullptr;

/* Finds the start of the allocation that holds `pointer`, by the driver that the runtime has
 * loaded. */
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

/* Shares the output and the input that the grader makes fresh on the device. */
template <int kFresh>
inline int share_with(const opgrade_call* c, opgrade_shared* shared) {
  return share_one(c->device[0], &shared[0]) || share_one(c->device[kFresh], &shared[1]);
}
constexpr int (*share)(const opgrade_call*, opgrade_shared*) = share_with<1>;
#endif

}  // namespace opgrade_adapter

#endif
