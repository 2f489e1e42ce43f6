// Atomic operations. Those on global memory are carried out in the order of the blocks, so that
// results do not depend on how many host threads run them.
#pragma once

#include "kernel.hpp"

namespace opgrade_emulation {
/// To be called before an atomic operation; waits for earlier blocks where that is needed.
void order_atomic(const void* address, size_t bytes);
/// A compare-and-swap found another value: the thread may be spinning on a lock.
void yield_after_failed_swap();

template <class T>
inline T exchange_value(T* address, T value) {
  order_atomic(address, sizeof(T));
  T old;
  __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
  return old;
}
template <class T, class Update>
__attribute__((no_sanitize("thread"))) inline T update_value(T* address, Update update) {
  order_atomic(address, sizeof(T));
  T old = *(volatile T*)address;
  T fresh = update(old);
  while (!__atomic_compare_exchange(address, &old, &fresh, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    fresh = update(old);
  return old;
}
template <class T>
inline T swap_value(T* address, T compare, T value) {
  order_atomic(address, sizeof(T));
  T expected = compare;
  if (!__atomic_compare_exchange(address, &expected, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    yield_after_failed_swap();
  return expected;
}
}  // namespace opgrade_emulation

#define OPGRADE_ATOMIC_INTEGER(type, scope)                                                               \
  inline type atomicAdd##scope(type* a, type v) {                                                         \
    opgrade_emulation::order_atomic(a, sizeof(type));                                                     \
    return __atomic_fetch_add(a, v, __ATOMIC_RELAXED);                                                    \
  }                                                                                                       \
  inline type atomicSub##scope(type* a, type v) {                                                         \
    opgrade_emulation::order_atomic(a, sizeof(type));                                                     \
    return __atomic_fetch_sub(a, v, __ATOMIC_RELAXED);                                                    \
  }                                                                                                       \
  inline type atomicAnd##scope(type* a, type v) {                                                         \
    opgrade_emulation::order_atomic(a, sizeof(type));                                                     \
    return __atomic_fetch_and(a, v, __ATOMIC_RELAXED);                                                    \
  }                                                                                                       \
  inline type atomicOr##scope(type* a, type v) {                                                          \
    opgrade_emulation::order_atomic(a, sizeof(type));                                                     \
    return __atomic_fetch_or(a, v, __ATOMIC_RELAXED);                                                     \
  }                                                                                                       \
  inline type atomicXor##scope(type* a, type v) {                                                         \
    opgrade_emulation::order_atomic(a, sizeof(type));                                                     \
    return __atomic_fetch_xor(a, v, __ATOMIC_RELAXED);                                                    \
  }                                                                                                       \
  inline type atomicExch##scope(type* a, type v) { return opgrade_emulation::exchange_value(a, v); }      \
  inline type atomicCAS##scope(type* a, type c, type v) { return opgrade_emulation::swap_value(a, c, v); } \
  inline type atomicMin##scope(type* a, type v) {                                                         \
    return opgrade_emulation::update_value(a, [v](type old) { return v < old ? v : old; });               \
  }                                                                                                       \
  inline type atomicMax##scope(type* a, type v) {                                                         \
    return opgrade_emulation::update_value(a, [v](type old) { return v > old ? v : old; });               \
  }
#define OPGRADE_ATOMIC_REAL(type, scope)                                                                  \
  inline type atomicAdd##scope(type* a, type v) {                                                         \
    return opgrade_emulation::update_value(a, [v](type old) { return old + v; });                         \
  }
#define OPGRADE_ATOMICS(scope)                                                                            \
  OPGRADE_ATOMIC_INTEGER(int, scope)                                                                      \
  OPGRADE_ATOMIC_INTEGER(unsigned, scope)                                                                 \
  OPGRADE_ATOMIC_INTEGER(unsigned long long, scope)                                                       \
  OPGRADE_ATOMIC_INTEGER(long long, scope)                                                                \
  OPGRADE_ATOMIC_REAL(float, scope)                                                                       \
  OPGRADE_ATOMIC_REAL(double, scope)                                                                      \
  inline float atomicExch##scope(float* a, float v) { return opgrade_emulation::exchange_value(a, v); }   \
  inline unsigned short atomicCAS##scope(unsigned short* a, unsigned short c, unsigned short v) {         \
    return opgrade_emulation::swap_value(a, c, v);                                                        \
  }                                                                                                       \
  inline unsigned atomicInc##scope(unsigned* a, unsigned limit) {                                         \
    return opgrade_emulation::update_value(a, [limit](unsigned old) { return old >= limit ? 0u : old + 1; }); \
  }                                                                                                       \
  inline unsigned atomicDec##scope(unsigned* a, unsigned limit) {                                         \
    return opgrade_emulation::update_value(                                                               \
        a, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });                  \
  }
OPGRADE_ATOMICS()
OPGRADE_ATOMICS(_block)
OPGRADE_ATOMICS(_system)
#undef OPGRADE_ATOMICS
#undef OPGRADE_ATOMIC_REAL
#undef OPGRADE_ATOMIC_INTEGER
