/* Memory of the host. */
#pragma once

#include <stdlib.h>

#include "types.h"

inline void* xMalloc(size_t size) { return size == 0 ? nullptr : malloc(size); }
inline void xFree(void* memory) { free(memory); }
inline void* xRealloc(void* memory, size_t size) {
  if (memory != nullptr && size > 0) return realloc(memory, size);
  free(memory);
  return nullptr;
}

#define wbNew(type) ((type*)wbMalloc(sizeof(type)))
#define wbNewArray(type, length) ((type*)wbMalloc((length) * sizeof(type)))
#define wbMalloc(size) xMalloc(size)
#define wbRealloc(memory, size) xRealloc(memory, size)
#define wbReallocArray(type, memory, length) ((type*)xRealloc(memory, (length) * sizeof(type)))
#define wbFree(memory) (xFree(memory), (memory) = nullptr)
#define wbDelete(memory) wbFree(memory)

template <class X, class Y>
void wbCast(X& to, const Y& from, size_t length) {
  for (size_t i = 0; i < length; ++i) to[i] = from[i];
}
template <class X, class Y>
X* wbCast(const Y& from, size_t length) {
  X* to = wbNewArray(X, length);
  for (size_t i = 0; i < length; ++i) to[i] = static_cast<X>(from[i]);
  return to;
}

#ifdef __CUDACC__
template <class T>
cudaError_t wbCUDAMalloc(T** memory, size_t size) {
  return cudaMalloc(memory, size);
}
inline cudaError_t wbCUDAFree(void* memory) { return cudaFree(memory); }
#endif
