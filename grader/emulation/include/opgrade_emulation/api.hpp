// The CUDA runtime API's functions. Every call finishes its work before it returns, unless work is
// to be late: runtime/late_work.hpp.
#pragma once

#include "types.hpp"

extern "C" {
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device);
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* to, int value, size_t bytes);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p);
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);
}

// The signature of CUDA 12, then the earlier one.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* where,
                                 char* log, size_t log_bytes);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream = nullptr);
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device);
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags = 0);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes = 0,
                                     unsigned int flags = cudaMemAttachSingle);

namespace opgrade_emulation {
enum class MemoryKind { device, pinned, managed, heap };  // heap: by malloc or new in a kernel
cudaError_t allocate(void** pointer, size_t bytes, MemoryKind kind);
cudaError_t allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t height,
                             size_t depth);
cudaError_t copy_to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                           cudaMemcpyKind kind);
cudaError_t copy_from_symbol(void* to, const void* symbol, size_t bytes, size_t offset,
                             cudaMemcpyKind kind);
cudaError_t symbol_address(void** pointer, const void* symbol);
cudaError_t symbol_size(size_t* bytes, const void* symbol);
cudaError_t function_attribute(const void* function, cudaFuncAttribute attribute, int value);
cudaError_t function_attributes(cudaFuncAttributes* attributes, const void* function);
cudaError_t active_blocks(int* blocks, const void* function, int threads, size_t shared_bytes);
cudaError_t launch_by_address(const void* function, dim3 grid, dim3 block, void** arguments,
                              size_t shared, cudaStream_t stream, bool cooperative);
}  // namespace opgrade_emulation

// Every place that allocates passes its own address, which names it if the memory leaks.
#define OPGRADE_INLINE inline __attribute__((always_inline))
#define OPGRADE_ALLOCATES(function, kind)                                    \
  template <class T>                                                         \
  OPGRADE_INLINE cudaError_t function {                                      \
    return opgrade_emulation::allocate((void**)(void*)pointer, bytes,        \
                                       opgrade_emulation::MemoryKind::kind); \
  }
OPGRADE_ALLOCATES(cudaMalloc(T** pointer, size_t bytes), device)
OPGRADE_ALLOCATES(cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t), device)
OPGRADE_ALLOCATES(cudaMallocHost(T** pointer, size_t bytes, unsigned int = 0), pinned)
OPGRADE_ALLOCATES(cudaHostAlloc(T** pointer, size_t bytes, unsigned int), pinned)
OPGRADE_ALLOCATES(cudaMallocManaged(T** pointer, size_t bytes, unsigned int = cudaMemAttachGlobal),
                  managed)
#undef OPGRADE_ALLOCATES
template <class T>
OPGRADE_INLINE cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width,
                                           size_t height) {
  return opgrade_emulation::allocate_pitched((void**)(void*)pointer, pitch, width, height, 1);
}
OPGRADE_INLINE cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent e) {
  p->xsize = e.width;
  p->ysize = e.height;
  return opgrade_emulation::allocate_pitched(&p->ptr, &p->pitch, e.width, e.height, e.depth);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int) {
  *(void**)(void*)device = host;
  return cudaSuccess;
}

// Functions that accept a variable or a kernel of any type. Inlined, so that findings name the line
// of the call.
#define OPGRADE_ANY(function, call)     \
  template <class T>                    \
  OPGRADE_INLINE cudaError_t function { \
    return opgrade_emulation::call;     \
  }
OPGRADE_ANY(cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice),
            copy_to_symbol((const void*)&symbol, from, bytes, offset, kind))
OPGRADE_ANY(cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t = nullptr),
            copy_to_symbol((const void*)&symbol, from, bytes, offset, kind))
OPGRADE_ANY(cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost),
            copy_from_symbol(to, (const void*)&symbol, bytes, offset, kind))
OPGRADE_ANY(cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t = nullptr),
            copy_from_symbol(to, (const void*)&symbol, bytes, offset, kind))
OPGRADE_ANY(cudaGetSymbolAddress(void** pointer, const T& symbol),
            symbol_address(pointer, (const void*)&symbol))
OPGRADE_ANY(cudaGetSymbolSize(size_t* bytes, const T& symbol),
            symbol_size(bytes, (const void*)&symbol))
OPGRADE_ANY(cudaFuncSetAttribute(T* function, cudaFuncAttribute attribute, int value),
            function_attribute((const void*)function, attribute, value))
OPGRADE_ANY(cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* function),
            function_attributes(attributes, (const void*)function))
OPGRADE_ANY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T* function, int threads,
                                                          size_t shared_bytes),
            active_blocks(blocks, (const void*)function, threads, shared_bytes))
OPGRADE_ANY(cudaLaunchKernel(T* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared = 0, cudaStream_t stream = nullptr),
            launch_by_address((const void*)function, grid, block, arguments, shared, stream, false))
OPGRADE_ANY(cudaLaunchCooperativeKernel(T* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared = 0, cudaStream_t stream = nullptr),
            launch_by_address((const void*)function, grid, block, arguments, shared, stream, true))
#undef OPGRADE_ANY

template <class F>
inline cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) {
  return cudaSuccess;
}
template <class F>
inline cudaError_t cudaFuncSetSharedMemConfig(F*, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F* function,
                                                      size_t shared_bytes = 0, int limit = 0) {
  cudaFuncAttributes attributes{};
  opgrade_emulation::function_attributes(&attributes, (const void*)function);
  *block =
      limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
  int each = 0;
  const cudaError_t error =
      opgrade_emulation::active_blocks(&each, (const void*)function, *block, shared_bytes);
  *grid = each * 132;
  return error;
}
