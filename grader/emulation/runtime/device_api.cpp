#include <strings.h>

#include <chrono>
#include <cstring>

#include "grader/emulation/runtime/device.hpp"
#include "grader/emulation/runtime/graphs.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "opgrade_emulation/api.hpp"

using namespace opgrade_emulation;

struct CUevent_st {
  std::chrono::steady_clock::time_point when;
  bool recorded = false;
  bool timing = true;
  std::shared_ptr<Capture> capture;  // of the stream that recorded it last
};

namespace {

cudaError_t known_device(int device) {
  return finish(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
constexpr char kBusId[] = "0000:00:00.0";

cudaError_t nothing_to_do() { return finish(cudaSuccess); }

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return nothing_to_do();
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return nothing_to_do();
}
cudaError_t cudaSetDevice(int device) { return known_device(device); }
cudaError_t cudaDeviceSynchronize() { return sticky_error(); }
cudaError_t cudaThreadSynchronize() { return sticky_error(); }
cudaError_t cudaDeviceReset() {
  free_everything();
  return nothing_to_do();
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return nothing_to_do(); }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return nothing_to_do(); }
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (limit == cudaLimitMallocHeapSize) return finish(set_heap_size(value));
  return nothing_to_do();
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize        ? 1024
           : limit == cudaLimitPrintfFifoSize ? 1 << 20
           : limit == cudaLimitMallocHeapSize ? heap_size()
                                              : 8 << 20;
  return nothing_to_do();
}
cudaError_t cudaSetDeviceFlags(unsigned) { return nothing_to_do(); }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return nothing_to_do();
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return nothing_to_do();
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return nothing_to_do();
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return nothing_to_do();
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return finish(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (id == nullptr || length <= static_cast<int>(sizeof kBusId) - 1)
    return finish(cudaErrorInvalidValue);
  if (device != 0) return finish(cudaErrorInvalidDevice);
  std::memcpy(id, kBusId, sizeof kBusId);
  return nothing_to_do();
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (device == nullptr || id == nullptr) return finish(cudaErrorInvalidValue);
  if (strcasecmp(id, kBusId) != 0) return finish(cudaErrorInvalidDevice);
  *device = 0;
  return nothing_to_do();
}
cudaError_t cudaProfilerStart() { return nothing_to_do(); }
cudaError_t cudaProfilerStop() { return nothing_to_do(); }
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) {
  return nothing_to_do();
}
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned,
                                 cudaStream_t) {
  return nothing_to_do();
}
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
  return nothing_to_do();
}
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  return nothing_to_do();
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) {
  return nothing_to_do();
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0 || p == nullptr) return finish(cudaErrorInvalidDevice);
  std::memset(p, 0, sizeof *p);
  std::strcpy(p->name, "opgrade emulated device");
  std::size_t free_bytes = 0;
  cudaMemGetInfo(&free_bytes, &p->totalGlobalMem);
  p->sharedMemPerBlock = device::kSharedPerBlock;
  p->sharedMemPerBlockOptin = device::kSharedPerBlockOptIn;
  p->sharedMemPerMultiprocessor = device::kSharedPerMultiprocessor;
  p->reservedSharedMemPerBlock = device::kSharedReserved;
  p->regsPerBlock = p->regsPerMultiprocessor = device::kRegisters;
  p->warpSize = 32;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = device::kMaxThreadsPerBlock;
  for (int i = 0; i < 3; ++i) {
    p->maxThreadsDim[i] = static_cast<int>(device::kMaxBlock[i]);
    p->maxGridSize[i] = static_cast<int>(device::kMaxGrid[i]);
  }
  p->clockRate = 1980000;
  p->memoryClockRate = 2619000;
  p->memoryBusWidth = 5120;
  p->l2CacheSize = 50 << 20;
  p->totalConstMem = device::kConstantMemory;
  p->major = device::kMajor;
  p->minor = device::kMinor;
  p->textureAlignment = 512;
  p->texturePitchAlignment = 32;
  p->multiProcessorCount = device::kMultiprocessors;
  p->maxThreadsPerMultiProcessor = device::kMaxThreadsPerMultiprocessor;
  p->maxBlocksPerMultiProcessor = device::kMaxBlocksPerMultiprocessor;
  p->deviceOverlap = p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing =
      p->managedMemory = 1;
  p->asyncEngineCount = 3;
  p->streamPrioritiesSupported = p->globalL1CacheSupported = p->localL1CacheSupported = 1;
  p->cooperativeLaunch = p->computePreemptionSupported = p->concurrentManagedAccess = 1;
  return finish(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  const cudaError_t error = cudaGetDeviceProperties(&p, device);
  if (error != cudaSuccess) return error;
  switch (attribute) {
    // clang-format off
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); break;
    case cudaDevAttrTotalConstantMemory: *value = static_cast<int>(p.totalConstMem); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrClockRate: *value = p.clockRate; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrMemoryClockRate: *value = p.memoryClockRate; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrAsyncEngineCount: *value = p.asyncEngineCount; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = static_cast<int>(p.sharedMemPerMultiprocessor); break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(p.sharedMemPerBlockOptin); break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    // clang-format on
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      break;
    default:
      *value = 0;
  }
  return finish(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int priority) {
  if (stream == nullptr) return finish(cudaErrorInvalidValue);
  if (sticky_error() != cudaSuccess) return sticky_error();
  *stream = new CUstream_st{priority, nullptr};
  return finish(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return finish(cudaErrorInvalidResourceHandle);
  delete stream;
  return nothing_to_do();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const auto& capture = capture_of(stream); capture != nullptr) {
    capture->broken = true;
    return finish(cudaErrorStreamCaptureUnsupported);
  }
  return sticky_error();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  const bool handle =
      stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
  // A stream that waits for captured work takes part in the capture from there on.
  if (handle && event->capture != nullptr && event->capture->origin != nullptr)
    stream->capture = event->capture;
  return finish(cudaSuccess);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  if (callback == nullptr) return finish(cudaErrorInvalidValue);
  callback(stream, sticky_error(), data);
  return nothing_to_do();
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return finish(cudaErrorInvalidValue);
  return in_stream(stream, [=] {
    if (sticky_error() == cudaSuccess) function(data);
    return nothing_to_do();
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return finish(cudaErrorInvalidValue);
  *event = new CUevent_st;
  (*event)->timing = (flags & cudaEventDisableTiming) == 0;
  return nothing_to_do();
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  delete event;
  return nothing_to_do();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  event->capture = capture_of(stream);
  event->when = std::chrono::steady_clock::now();
  event->recorded = true;
  return nothing_to_do();
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return finish(event == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (milliseconds == nullptr) return finish(cudaErrorInvalidValue);
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded ||
      !start->timing || !stop->timing)
    return finish(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(stop->when - start->when).count();
  return nothing_to_do();
}
