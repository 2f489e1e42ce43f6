/// Marks a function that is compiled for plain x86-64 and for AVX2; the loader picks.
#pragma once

// AVX2 here means wider vectors, not fused multiply-add, so both give the same numbers. Sanitizers
// are not ready when the loader picks.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OPGRADE_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define OPGRADE_VECTOR_CLONES
#endif
