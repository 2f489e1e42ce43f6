// Stands in for CUDA's cuda_pipeline.h.
#pragma once
#pragma GCC system_header

#include "cuda_runtime.h"
#include "opgrade_emulation/async_copy.hpp"

OPGRADE_INLINE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes,
                                            size_t zeros = 0) {
  opgrade_emulation::copy_async(to, from, bytes, bytes - zeros);
}
OPGRADE_INLINE void __pipeline_commit() { opgrade_emulation::commit_copies(); }
OPGRADE_INLINE void __pipeline_wait_prior(size_t most_left) {
  opgrade_emulation::await_copies(most_left);
}
