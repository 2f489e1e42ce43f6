// Stands in for CUDA's cuda_pipeline.h: copies are made at once, so that a wait has nothing to do.
#pragma once
#pragma GCC system_header

#include "cuda_runtime.h"

OPGRADE_INLINE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes,
                                            size_t zeros = 0) {
  auto* out = (unsigned*)to;
  const auto* in = (const unsigned*)from;
  for (size_t i = 0; i < bytes / 4; ++i) out[i] = i * 4 < bytes - zeros ? in[i] : 0u;
}
OPGRADE_INLINE void __pipeline_commit() {}
OPGRADE_INLINE void __pipeline_wait_prior(size_t) {}
