// Atomic operations. On global memory they happen in block order, so results do not depend on the
// number of host threads. Each is sequentially consistent: on x86-64 a full barrier, on ARM64
// acquire and release. Therefore a lock that a plain store releases without a __threadfence(),
// which is wrong on a GPU as well, may fail only on ARM64.
#pragma once

#include "api.hpp"
#include "kernel.hpp"

namespace opgrade_emulation {
/// Traits of an atomic operation. An attempt changes nothing if the word does not have the expected
/// value, so a plain read may decide whether to try it. An operation of the block is atomic only
/// among the block's threads.
inline constexpr unsigned kAtomicAttempt = 1, kAtomicOfBlock = 2;
inline constexpr unsigned kAtomicSwap = 4;  ///< a compare-and-swap
/// Must be called before an atomic operation; waits for earlier blocks if necessary.
void order_atomic(const void* address, size_t bytes, unsigned traits = 0);
/// Like order_atomic(), before an exchange, which overwrites whatever is there.
void order_exchange(const void* address, size_t bytes, unsigned traits);
/// Reports the value that the exchange found.
void exchanged(unsigned long long old);
/// Called when a compare-and-swap found another value, because the thread may be spinning on a
/// lock.
void yield_after_failed_swap();

template <class T>
OPGRADE_UNCHECKED inline T exchange_value(T* address, T value) {
  T old;
  __atomic_exchange(address, &value, &old, __ATOMIC_SEQ_CST);
  return old;
}
template <class T>
OPGRADE_UNCHECKED inline unsigned long long bits_of(T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T, class Update>
OPGRADE_UNCHECKED inline T update_value(T* address, Update update) {
  T old = *(volatile T*)address;
  T fresh = update(old);
  while (
      !__atomic_compare_exchange(address, &old, &fresh, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    fresh = update(old);
  return old;
}
template <class T>
OPGRADE_UNCHECKED inline T swap_value(T* address, T compare, T value) {
  T expected = compare;
  if (!__atomic_compare_exchange(address, &expected, &value, false, __ATOMIC_SEQ_CST,
                                 __ATOMIC_SEQ_CST))
    yield_after_failed_swap();
  return expected;
}
}  // namespace opgrade_emulation

// Always inlined, because order_atomic() and exchanged() find the line of the submission by their
// return address.
#define OPGRADE_ATOMIC(name, type, traits, parameters, result)  \
  OPGRADE_INLINE type name parameters {                         \
    opgrade_emulation::order_atomic(a, sizeof(type), (traits)); \
    return result;                                              \
  }
#define OPGRADE_EXCHANGE(type, scope, traits)                                       \
  OPGRADE_INLINE type atomicExch##scope(type* a, type v) {                          \
    opgrade_emulation::order_exchange(a, sizeof(type), OPGRADE_ATTEMPT | (traits)); \
    const type old = opgrade_emulation::exchange_value(a, v);                       \
    opgrade_emulation::exchanged(opgrade_emulation::bits_of(old));                  \
    return old;                                                                     \
  }
#define OPGRADE_ATTEMPT opgrade_emulation::kAtomicAttempt
#define OPGRADE_SWAP OPGRADE_ATTEMPT | opgrade_emulation::kAtomicSwap
#define OPGRADE_UPDATE(expression) \
  opgrade_emulation::update_value(a, [=](auto old) -> decltype(old) { return expression; })
// Each operation has the same types as in CUDA, which has no signed 64-bit sum, for example.
#define OPGRADE_ATOMIC_SUM(type, scope, traits)                                             \
  OPGRADE_ATOMIC(atomicAdd##scope, type, traits, (type * a, type v),                        \
                 __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST))                                \
  OPGRADE_EXCHANGE(type, scope, traits)                                                     \
  OPGRADE_ATOMIC(atomicCAS##scope, type, OPGRADE_SWAP | traits, (type * a, type c, type v), \
                 opgrade_emulation::swap_value(a, c, v))
#define OPGRADE_ATOMIC_DIFFERENCE(type, scope, traits)               \
  OPGRADE_ATOMIC(atomicSub##scope, type, traits, (type * a, type v), \
                 __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST))
#define OPGRADE_ATOMIC_BITS(type, scope, traits)                                       \
  OPGRADE_ATOMIC(atomicAnd##scope, type, OPGRADE_ATTEMPT | traits, (type * a, type v), \
                 __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST))                           \
  OPGRADE_ATOMIC(atomicOr##scope, type, OPGRADE_ATTEMPT | traits, (type * a, type v),  \
                 __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST))                            \
  OPGRADE_ATOMIC(atomicXor##scope, type, traits, (type * a, type v),                   \
                 __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST))                           \
  OPGRADE_ATOMIC(atomicMin##scope, type, OPGRADE_ATTEMPT | traits, (type * a, type v), \
                 OPGRADE_UPDATE(v < old ? v : old))                                    \
  OPGRADE_ATOMIC(atomicMax##scope, type, OPGRADE_ATTEMPT | traits, (type * a, type v), \
                 OPGRADE_UPDATE(v > old ? v : old))
#define OPGRADE_ATOMICS(scope, traits)                                                             \
  OPGRADE_ATOMIC_SUM(int, scope, traits)                                                           \
  OPGRADE_ATOMIC_SUM(unsigned, scope, traits)                                                      \
  OPGRADE_ATOMIC_SUM(unsigned long long, scope, traits)                                            \
  OPGRADE_ATOMIC_DIFFERENCE(int, scope, traits)                                                    \
  OPGRADE_ATOMIC_DIFFERENCE(unsigned, scope, traits)                                               \
  OPGRADE_ATOMIC_BITS(int, scope, traits)                                                          \
  OPGRADE_ATOMIC_BITS(unsigned, scope, traits)                                                     \
  OPGRADE_ATOMIC_BITS(unsigned long long, scope, traits)                                           \
  OPGRADE_ATOMIC_BITS(long long, scope, traits)                                                    \
  OPGRADE_ATOMIC(atomicAdd##scope, float, traits, (float* a, float v), OPGRADE_UPDATE(old + v))    \
  OPGRADE_ATOMIC(atomicAdd##scope, double, traits, (double* a, double v), OPGRADE_UPDATE(old + v)) \
  OPGRADE_EXCHANGE(float, scope, traits)                                                           \
  OPGRADE_ATOMIC(atomicCAS##scope, unsigned short, OPGRADE_SWAP | traits,                          \
                 (unsigned short* a, unsigned short c, unsigned short v),                          \
                 opgrade_emulation::swap_value(a, c, v))                                           \
  OPGRADE_ATOMIC(atomicInc##scope, unsigned, traits, (unsigned* a, unsigned v),                    \
                 OPGRADE_UPDATE(old >= v ? 0u : old + 1))                                          \
  OPGRADE_ATOMIC(atomicDec##scope, unsigned, traits, (unsigned* a, unsigned v),                    \
                 OPGRADE_UPDATE(old == 0 || old > v ? v : old - 1))
OPGRADE_ATOMICS(, 0)
OPGRADE_ATOMICS(_block, opgrade_emulation::kAtomicOfBlock)
OPGRADE_ATOMICS(_system, 0)
// Each component is added by itself, as on a GPU.
#define OPGRADE_ATOMIC_VECTORS(scope)                                    \
  OPGRADE_INLINE float2 atomicAdd##scope(float2* a, float2 v) {          \
    return {atomicAdd##scope(&a->x, v.x), atomicAdd##scope(&a->y, v.y)}; \
  }                                                                      \
  OPGRADE_INLINE float4 atomicAdd##scope(float4* a, float4 v) {          \
    return {atomicAdd##scope(&a->x, v.x), atomicAdd##scope(&a->y, v.y),  \
            atomicAdd##scope(&a->z, v.z), atomicAdd##scope(&a->w, v.w)}; \
  }
OPGRADE_ATOMIC_VECTORS()
OPGRADE_ATOMIC_VECTORS(_block)
OPGRADE_ATOMIC_VECTORS(_system)
#undef OPGRADE_ATOMIC_VECTORS
#undef OPGRADE_ATOMICS
#undef OPGRADE_UPDATE
#undef OPGRADE_ATTEMPT
#undef OPGRADE_SWAP
#undef OPGRADE_EXCHANGE
#undef OPGRADE_ATOMIC
#undef OPGRADE_ATOMIC_SUM
#undef OPGRADE_ATOMIC_DIFFERENCE
#undef OPGRADE_ATOMIC_BITS
