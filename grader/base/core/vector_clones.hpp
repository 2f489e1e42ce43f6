/// Marks a function that is compiled for several generations of x86-64; the loader picks.
#pragma once

// AVX2 here means wider vectors, not fused multiply-add, so both give the same numbers. AVX-512
// would bring that along: it is for integers alone. Sanitizers are not ready when the loader picks.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OPGRADE_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#define OPGRADE_INTEGER_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define OPGRADE_VECTOR_CLONES
#define OPGRADE_INTEGER_CLONES
#endif
