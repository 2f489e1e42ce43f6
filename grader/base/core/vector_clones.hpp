/// Marks a function that is compiled for several generations of x86-64; the loader picks one.
#pragma once

// AVX2 alone brings wider vectors but no fused multiply-add, so both clones give the same numbers.
// x86-64-v4 (AVX-512) would bring fused multiply-add, so it is used for integers only. Sanitizers
// are not initialized yet when the loader picks.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OPGRADE_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#define OPGRADE_INTEGER_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define OPGRADE_VECTOR_CLONES
#define OPGRADE_INTEGER_CLONES
#endif
