// Stands in for Thrust's function objects and placeholders.
#pragma once
#pragma GCC system_header

#include "../opgrade_emulation/operators.hpp"
#include "tuple.h"

namespace thrust {

using opgrade_emulation::operators::bit_and;
using opgrade_emulation::operators::bit_or;
using opgrade_emulation::operators::bit_xor;
using opgrade_emulation::operators::divides;
using opgrade_emulation::operators::equal_to;
using opgrade_emulation::operators::greater;
using opgrade_emulation::operators::greater_equal;
using opgrade_emulation::operators::identity;
using opgrade_emulation::operators::less;
using opgrade_emulation::operators::less_equal;
using opgrade_emulation::operators::logical_and;
using opgrade_emulation::operators::logical_not;
using opgrade_emulation::operators::logical_or;
using opgrade_emulation::operators::maximum;
using opgrade_emulation::operators::minimum;
using opgrade_emulation::operators::minus;
using opgrade_emulation::operators::modulus;
using opgrade_emulation::operators::multiplies;
using opgrade_emulation::operators::negate;
using opgrade_emulation::operators::not_equal_to;
using opgrade_emulation::operators::plus;
using opgrade_emulation::operators::square;

// Base classes that Thrust had before CUDA 13.
template <class Argument, class Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <class First, class Second, class Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};

template <class F>
struct opgrade_not {
  F function;
  template <class... A>
  bool operator()(const A&... a) const {
    return !function(a...);
  }
};
template <class F>
inline opgrade_not<F> not_fn(F function) {
  return {function};
}

/// Calls a function of several values with the elements of a tuple.
template <class F>
struct zip_function {
  F function;
  template <class... T>
  auto operator()(const tuple<T...>& t) const {
    return call(t, std::index_sequence_for<T...>());
  }

 private:
  template <class Tuple, size_t... kIndex>
  auto call(const Tuple& t, std::index_sequence<kIndex...>) const {
    return function(get<kIndex>(t)...);
  }
};
template <class F>
inline zip_function<F> make_zip_function(F function) {
  return {function};
}

/// `2 * _1 + _2` is a function of two values.
namespace opgrade {
template <class F>
struct Expression {
  F function;
  template <class... A>
  auto operator()(const A&... a) const {
    return function(a...);
  }
};
template <int kIndex>
struct Argument {
  template <class First, class... Rest>
  auto operator()(const First& first, const Rest&... rest) const {
    if constexpr (kIndex == 0) {
      return first;
    } else {
      return Argument<kIndex - 1>()(rest...);
    }
  }
};
template <class T>
struct Constant {
  T value;
  template <class... A>
  T operator()(const A&...) const {
    return value;
  }
};
template <class F>
inline F part(const Expression<F>& e) {
  return e.function;
}
template <class T>
inline Constant<T> part(const T& value) {
  return {value};
}
template <class T>
struct is_expression : std::false_type {};
template <class F>
struct is_expression<Expression<F>> : std::true_type {};

template <class A, class B, class Op>
struct Binary {
  A a;
  B b;
  template <class... Values>
  auto operator()(const Values&... values) const {
    return Op()(a(values...), b(values...));
  }
};
#define OPGRADE_EXPRESSION(sign, name)                                                             \
  template <class A, class B,                                                                      \
            class =                                                                                \
                typename std::enable_if<is_expression<A>::value || is_expression<B>::value>::type> \
  inline auto operator sign(const A& a, const B& b) {                                              \
    using F = Binary<decltype(part(a)), decltype(part(b)), opgrade_emulation::operators::name<>>;  \
    return Expression<F>{F{part(a), part(b)}};                                                     \
  }
OPGRADE_EXPRESSION(+, plus)
OPGRADE_EXPRESSION(-, minus)
OPGRADE_EXPRESSION(*, multiplies)
OPGRADE_EXPRESSION(/, divides)
OPGRADE_EXPRESSION(%, modulus)
OPGRADE_EXPRESSION(&, bit_and)
OPGRADE_EXPRESSION(|, bit_or)
OPGRADE_EXPRESSION(^, bit_xor)
OPGRADE_EXPRESSION(==, equal_to)
OPGRADE_EXPRESSION(!=, not_equal_to)
OPGRADE_EXPRESSION(<, less)
OPGRADE_EXPRESSION(<=, less_equal)
OPGRADE_EXPRESSION(>, greater)
OPGRADE_EXPRESSION(>=, greater_equal)
OPGRADE_EXPRESSION(&&, logical_and)
OPGRADE_EXPRESSION(||, logical_or)
#undef OPGRADE_EXPRESSION
}  // namespace opgrade

namespace placeholders {
static constexpr opgrade::Expression<opgrade::Argument<0>> _1{};
static constexpr opgrade::Expression<opgrade::Argument<1>> _2{};
static constexpr opgrade::Expression<opgrade::Argument<2>> _3{};
}  // namespace placeholders

}  // namespace thrust
