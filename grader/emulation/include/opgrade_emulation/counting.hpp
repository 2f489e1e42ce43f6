// For the counting build: loops report their rounds, and arithmetic is counted. The text is the
// same in every build, so that no macro of a source can distinguish builds.
#pragma once

#define OPGRADE_UNCOUNTED __attribute__((no_sanitize("thread"), always_inline)) inline

namespace opgrade_emulation {

/// Only the counting build defines this type: the driver puts the definition before the
/// preprocessed source.
struct CountingBuild;
template <class T, unsigned long = sizeof(T)>
constexpr bool is_complete(int) {
  return true;
}
template <class T>
constexpr bool is_complete(...) {
  return false;
}
constexpr bool kCounts = is_complete<CountingBuild>(0);

/// Called when a CUDA thread starts its kernel's body.
void thread_begins();

/// Encloses a loop of device code. The loop's round is part of the place of each access in it, so
/// that lanes stay together after inner loops of unequal length.
class Loop {
 public:
  /// `constant`: the compiler knows the bound.
  explicit Loop(unsigned number, bool constant = false);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();
  /// Returns true the first time.
  bool once();
  /// Called when a round begins, in `for` and in `while`.
  bool next();

 private:
  unsigned long long outer_, key_ = 0, outer_key_ = 0;
  unsigned outer_round_ = 0, round_ = 0;
  bool constant_, entered_ = false;
};

/// Marks a line that the translator left unchanged.
struct Uncounted {
  Uncounted(const char* file, int line);
};

/// `fused` is a sum that absorbs a product which was counted before; `fma` is a call.
enum class Arithmetic { add, multiply, fused, divide, fma };

/// Operations of threads on float, then on double. Only assembly changes them, because then no hook
/// is called for these accesses.
extern unsigned long long arithmetic_counts[2][4] __attribute__((visibility("hidden")));

template <class T>
struct FloatKind {
  static constexpr int value = -1;
};
template <>
struct FloatKind<float> {
  static constexpr int value = 0;
};
template <>
struct FloatKind<double> {
  static constexpr int value = 1;
};
template <>
struct FloatKind<long double> : FloatKind<double> {};
template <>
struct FloatKind<__complex__ float> : FloatKind<float> {};
template <>
struct FloatKind<__complex__ double> : FloatKind<double> {};

OPGRADE_UNCOUNTED void increment(unsigned long long& n) {
#if defined(__x86_64__)
  asm("incq %0" : "+m"(n)::"cc");
#else
  ++n;
#endif
}

/// Subtracts 1, but keeps 0.
OPGRADE_UNCOUNTED void decrement(unsigned long long& n) {
#if defined(__x86_64__)
  asm("cmpq $1, %0\n\tadcq $-1, %0" : "+m"(n)::"cc");
#else
  n -= n != 0;
#endif
}

template <Arithmetic kind, class Result>
OPGRADE_UNCOUNTED constexpr void count_arithmetic() {
  if constexpr (kCounts && FloatKind<Result>::value >= 0) {
    if (!__builtin_is_constant_evaluated()) {
      auto& of = arithmetic_counts[FloatKind<Result>::value];
      increment(of[static_cast<int>(kind == Arithmetic::fma ? Arithmetic::fused : kind)]);
      // The product that the sum absorbs is no instruction of its own. A product of another type
      // is.
      if constexpr (kind == Arithmetic::fused)
        decrement(of[static_cast<int>(Arithmetic::multiply)]);
    }
  }
}

/// The translator writes `a * Counted<multiply>() * b` for `a * b`, and `s += Counted<add>() += x`
/// for `s += x`: the precedence of C++'s operators then counts each operation.
template <Arithmetic kind>
struct Counted {};
template <Arithmetic kind, class T>
struct LeftOperand {
  T value;
};

/// The translator writes `a[i] = Result() += f(x)` for `a[i] = f(x)`.
struct Result {};
template <class T>
OPGRADE_UNCOUNTED constexpr T operator+=(Result, T value) {
  return value;
}

#define OPGRADE_COUNTED(op)                                                              \
  template <Arithmetic kind, class T>                                                    \
  OPGRADE_UNCOUNTED constexpr LeftOperand<kind, T> operator op(T value, Counted<kind>) { \
    return {value};                                                                      \
  }                                                                                      \
  template <Arithmetic kind, class T, class U>                                           \
  OPGRADE_UNCOUNTED constexpr auto operator op(LeftOperand<kind, T> left, U right) {     \
    count_arithmetic<kind, decltype(left.value op right)>();                             \
    return left.value op right;                                                          \
  }                                                                                      \
  template <Arithmetic kind, class T>                                                    \
  OPGRADE_UNCOUNTED constexpr T operator op##=(Counted<kind>, T value) {                 \
    count_arithmetic<kind, T>();                                                         \
    return value;                                                                        \
  }
OPGRADE_COUNTED(+)
OPGRADE_COUNTED(-)
OPGRADE_COUNTED(*)
OPGRADE_COUNTED(/)
#undef OPGRADE_COUNTED
#undef OPGRADE_UNCOUNTED

}  // namespace opgrade_emulation
