#include <chrono>
#include <cstring>

#include "grader/emulation/runtime/device.hpp"
#include "grader/emulation/runtime/devices.hpp"
#include "grader/emulation/runtime/graphs.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "opgrade_emulation/api.hpp"

using namespace opgrade_emulation;

struct CUevent_st {
  std::chrono::steady_clock::time_point when;
  bool recorded = false;
  bool timing = true;
  int device = current_device();
  std::shared_ptr<Capture> capture;  // capture of the stream that recorded it last
  Mark mark;                         // the work that the stream was given before
};

namespace {

cudaError_t done() { return finish(cudaSuccess); }

cudaError_t give(int* to, int value) {
  *to = value;
  return done();
}

cudaError_t await_stream(cudaStream_t stream, const Wait& wait) {
  if (const auto& capture = capture_of(stream); capture != nullptr) {
    capture->broken = true;
    return finish(cudaErrorStreamCaptureUnsupported, wait.site, wait.function);
  }
  finish_stream(stream, wait);
  return sticky_error();
}

cudaError_t await_event(cudaEvent_t event, const Wait& wait) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle, wait.site, wait.function);
  finish_until(event->mark, wait);
  return finish(cudaSuccess);
}

}  // namespace

#define WAIT \
  Wait { __func__, __builtin_return_address(0), true }

cudaError_t cudaDeviceSynchronize() {
  finish_device(current_device(), WAIT);
  return sticky_error();
}
cudaError_t cudaThreadSynchronize() {
  finish_device(current_device(), WAIT);
  return sticky_error();
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return done(); }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return done(); }
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  finish_device(current_device(), WAIT);
  if (limit == cudaLimitMallocHeapSize) return finish(set_heap_size(value));
  return done();
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitStackSize        ? 1024
           : limit == cudaLimitPrintfFifoSize ? 1 << 20
           : limit == cudaLimitMallocHeapSize ? heap_size()
                                              : 8 << 20;
  return done();
}
cudaError_t cudaSetDeviceFlags(unsigned) { return done(); }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return done();
}
cudaError_t cudaDriverGetVersion(int* version) { return give(version, CUDART_VERSION); }
cudaError_t cudaRuntimeGetVersion(int* version) { return give(version, CUDART_VERSION); }
cudaError_t cudaProfilerStart() { return done(); }
cudaError_t cudaProfilerStop() { return done(); }
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t) { return done(); }
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned,
                                 cudaStream_t) {
  return done();
}
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) { return done(); }
cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  return done();
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) { return done(); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device < 0 || device >= device_count() || p == nullptr) return finish(cudaErrorInvalidDevice);
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
  p->pciBusID = device;
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
  *value = 0;
  switch (attribute) {
#define X(name, number, get)        \
  case name:                        \
    *value = static_cast<int>(get); \
    break;
#include "opgrade_emulation/device_attributes.inc"
#undef X
  }
  return finish(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr) return finish(cudaErrorInvalidValue);
  if (sticky_error() != cudaSuccess) return sticky_error();
  *stream = new CUstream_st{.priority = priority,
                            .capture = nullptr,
                            .device = current_device(),
                            .is_non_blocking = (flags & cudaStreamNonBlocking) != 0,
                            .queue = nullptr};
  return finish(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return finish(cudaErrorInvalidResourceHandle);
  delete stream;
  return done();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return await_stream(stream, WAIT); }
/// Finishes the stream's work, because a program that polls until the stream is ready would poll
/// for ever if its work stayed late.
cudaError_t cudaStreamQuery(cudaStream_t stream) { return await_stream(stream, WAIT); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  const bool handle =
      stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
  // A stream that waits for captured work joins the capture.
  if (handle && event->capture != nullptr && event->capture->origin != nullptr)
    stream->capture = event->capture;
  if (capture_of(stream) == nullptr) wait_in(stream, event->mark);
  return finish(cudaSuccess);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  if (callback == nullptr) return finish(cudaErrorInvalidValue);
  if (const auto& capture = capture_of(stream); capture != nullptr) {
    capture->broken = true;
    return finish(cudaErrorStreamCaptureUnsupported);
  }
  return in_stream(stream, {.name = __func__, .site = __builtin_return_address(0), .perform = [=] {
                              callback(stream, sticky_error(), data);
                              return done();
                            }});
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return finish(cudaErrorInvalidValue);
  return in_stream(stream, {.name = __func__, .site = __builtin_return_address(0), .perform = [=] {
                              if (sticky_error() == cudaSuccess) function(data);
                              return done();
                            }});
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return finish(cudaErrorInvalidValue);
  *event = new CUevent_st;
  (*event)->timing = (flags & cudaEventDisableTiming) == 0;
  return done();
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return finish(cudaErrorInvalidResourceHandle);
  delete event;
  return done();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event == nullptr || event->device != device_of(stream))
    return finish(cudaErrorInvalidResourceHandle);
  event->capture = capture_of(stream);
  event->mark = event->capture == nullptr ? mark_in(stream) : nullptr;
  event->when = std::chrono::steady_clock::now();
  event->recorded = true;
  return done();
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return await_event(event, WAIT); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return await_event(event, WAIT); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (milliseconds == nullptr) return finish(cudaErrorInvalidValue);
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded ||
      !start->timing || !stop->timing || start->device != stop->device)
    return finish(cudaErrorInvalidResourceHandle);
  finish_until(start->mark, WAIT);
  finish_until(stop->mark, WAIT);
  *milliseconds = std::chrono::duration<float, std::milli>(stop->when - start->when).count();
  return done();
}
