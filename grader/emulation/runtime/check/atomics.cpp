// The atomic builtins of -fsanitize=thread: they do the operations without checks, because atomics
// of kernels go through order_atomic().
#include <cstdint>

#define FETCH(bits, type, name)                                            \
  type __tsan_atomic##bits##_fetch_##name(volatile type* a, type v, int) { \
    return __atomic_fetch_##name(a, v, __ATOMIC_SEQ_CST);                  \
  }
#define ATOMICS(bits, type)                                                                        \
  type __tsan_atomic##bits##_load(const volatile type* a, int) {                                   \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type* a, type v, int) {                                \
    __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  type __tsan_atomic##bits##_exchange(volatile type* a, type v, int) {                             \
    return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  FETCH(bits, type, add)                                                                           \
  FETCH(bits, type, sub)                                                                           \
  FETCH(bits, type, and)                                                                           \
  FETCH(bits, type, or)                                                                            \
  FETCH(bits, type, xor)                                                                           \
  FETCH(bits, type, nand)                                                                          \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* a, type* c, type v, int, int) { \
    return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* a, type* c, type v, int, int) {   \
    return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
  }                                                                                                \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* a, type c, type v, int, int) {    \
    __atomic_compare_exchange_n(a, &c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);              \
    return c;                                                                                      \
  }

extern "C" {
ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
}
