// Loads and stores with cache hints, clocks, address spaces, traps.
#pragma once

#include "kernel.hpp"

#define OPGRADE_LOAD(name)                                                     \
  template <class T>                                                           \
  inline __attribute__((always_inline, artificial)) T name(const T* address) { \
    return *address;                                                           \
  }
OPGRADE_LOAD(__ldg)
OPGRADE_LOAD(__ldca)
OPGRADE_LOAD(__ldcg)
OPGRADE_LOAD(__ldcs)
OPGRADE_LOAD(__ldcv)
OPGRADE_LOAD(__ldlu)
#undef OPGRADE_LOAD
#define OPGRADE_STORE(name)                                                                 \
  template <class T>                                                                        \
  inline __attribute__((always_inline, artificial)) void name(T* address, const T& value) { \
    *address = value;                                                                       \
  }
OPGRADE_STORE(__stwb)
OPGRADE_STORE(__stcg)
OPGRADE_STORE(__stcs)
OPGRADE_STORE(__stwt)
#undef OPGRADE_STORE

long long clock64();
unsigned long long __globaltimer();
[[noreturn]] void __trap();
inline void __brkpt() {}
inline void __prof_trigger(int) {}
unsigned __isGlobal(const void* address);
unsigned __isShared(const void* address);
inline unsigned __isLocal(const void* address) {
  return !__isGlobal(address) && !__isShared(address);
}
inline size_t __cvta_generic_to_shared(const void* address) {
  return (size_t)((const char*)address - opgrade_emulation::shared_memory);
}
inline size_t __cvta_generic_to_global(const void* address) { return (size_t)address; }
