// The function objects of libcu++, CUB and Thrust.
#pragma once

#include <utility>

// `functor<T>` accepts values of T; functor<> and functor<void> accept any values.
#define OPGRADE_OPERATOR(name, expression)                                         \
  template <class T = void>                                                        \
  struct name {                                                                    \
    constexpr auto operator()(const T& a, const T& b) const { return expression; } \
  };                                                                               \
  template <>                                                                      \
  struct name<void> {                                                              \
    template <class A, class B>                                                    \
    constexpr auto operator()(const A& a, const B& b) const {                      \
      return expression;                                                           \
    }                                                                              \
  };
#define OPGRADE_UNARY_OPERATOR(name, expression)                       \
  template <class T = void>                                            \
  struct name {                                                        \
    constexpr auto operator()(const T& a) const { return expression; } \
  };                                                                   \
  template <>                                                          \
  struct name<void> {                                                  \
    template <class A>                                                 \
    constexpr auto operator()(const A& a) const {                      \
      return expression;                                               \
    }                                                                  \
  };
// A sum of two small integers is an int, which the functor of a type converts back.
#define OPGRADE_ARITHMETIC(name, expression)                                         \
  template <class T = void>                                                          \
  struct name {                                                                      \
    constexpr T operator()(const T& a, const T& b) const { return (T)(expression); } \
  };                                                                                 \
  template <>                                                                        \
  struct name<void> {                                                                \
    template <class A, class B>                                                      \
    constexpr auto operator()(const A& a, const B& b) const {                        \
      return expression;                                                             \
    }                                                                                \
  };

namespace opgrade_emulation {
namespace operators {
OPGRADE_ARITHMETIC(plus, a + b)
OPGRADE_ARITHMETIC(minus, a - b)
OPGRADE_ARITHMETIC(multiplies, a* b)
OPGRADE_ARITHMETIC(divides, a / b)
OPGRADE_ARITHMETIC(modulus, a % b)
OPGRADE_ARITHMETIC(bit_and, a& b)
OPGRADE_ARITHMETIC(bit_or, a | b)
OPGRADE_ARITHMETIC(bit_xor, a ^ b)
OPGRADE_ARITHMETIC(maximum, a < b ? b : a)
OPGRADE_ARITHMETIC(minimum, b < a ? b : a)
OPGRADE_OPERATOR(equal_to, a == b)
OPGRADE_OPERATOR(not_equal_to, a != b)
OPGRADE_OPERATOR(less, a < b)
OPGRADE_OPERATOR(less_equal, a <= b)
OPGRADE_OPERATOR(greater, a > b)
OPGRADE_OPERATOR(greater_equal, a >= b)
OPGRADE_OPERATOR(logical_and, a&& b)
OPGRADE_OPERATOR(logical_or, a || b)
OPGRADE_UNARY_OPERATOR(negate, -a)
OPGRADE_UNARY_OPERATOR(logical_not, !a)
OPGRADE_UNARY_OPERATOR(identity, a)
OPGRADE_UNARY_OPERATOR(square, a* a)
}  // namespace operators
}  // namespace opgrade_emulation
#undef OPGRADE_OPERATOR
#undef OPGRADE_UNARY_OPERATOR
#undef OPGRADE_ARITHMETIC
