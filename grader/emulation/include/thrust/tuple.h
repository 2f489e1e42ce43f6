// Stands in for Thrust's tuples and pairs.
#pragma once
#pragma GCC system_header

#include <tuple>

#include "../cuda_runtime.h"

namespace thrust {

template <class... T>
struct tuple;
template <>
struct tuple<> {
  bool operator==(const tuple&) const { return true; }
  bool operator<(const tuple&) const { return false; }
};

/// Elements may be references; then an assignment writes through them.
template <class First, class... Rest>
struct tuple<First, Rest...> {
  First opgrade_first;
  tuple<Rest...> opgrade_rest;

  tuple() : opgrade_first(), opgrade_rest() {}
  tuple(const tuple&) = default;
  template <class A, class... B,
            class = typename std::enable_if<sizeof...(B) == sizeof...(Rest) &&
                                            std::is_convertible<A&&, First>::value>::type>
  tuple(A&& first, B&&... rest)
      : opgrade_first(static_cast<A&&>(first)), opgrade_rest(static_cast<B&&>(rest)...) {}
  template <class A, class... B,
            class = typename std::enable_if<sizeof...(B) == sizeof...(Rest) &&
                                            std::is_convertible<A, First>::value>::type,
            class = void>
  tuple(const tuple<A, B...>& other)
      : opgrade_first(other.opgrade_first), opgrade_rest(other.opgrade_rest) {}
  tuple& operator=(const tuple& other) {
    opgrade_first = other.opgrade_first;
    opgrade_rest = other.opgrade_rest;
    return *this;
  }
  template <class A, class... B>
  tuple& operator=(const tuple<A, B...>& other) {
    opgrade_first = other.opgrade_first;
    opgrade_rest = other.opgrade_rest;
    return *this;
  }
  template <class A, class... B>
  bool operator==(const tuple<A, B...>& other) const {
    return opgrade_first == other.opgrade_first && opgrade_rest == other.opgrade_rest;
  }
  template <class A, class... B>
  bool operator!=(const tuple<A, B...>& other) const {
    return !(*this == other);
  }
  template <class A, class... B>
  bool operator<(const tuple<A, B...>& other) const {
    return opgrade_first < other.opgrade_first ||
           (!(other.opgrade_first < opgrade_first) && opgrade_rest < other.opgrade_rest);
  }
  template <class A, class... B>
  bool operator>(const tuple<A, B...>& other) const {
    return other < *this;
  }
};

template <size_t kIndex, class T>
struct tuple_element;
template <size_t kIndex, class First, class... Rest>
struct tuple_element<kIndex, tuple<First, Rest...>> : tuple_element<kIndex - 1, tuple<Rest...>> {};
template <class First, class... Rest>
struct tuple_element<0, tuple<First, Rest...>> {
  using type = First;
};
template <class T>
struct tuple_size;
template <class... T>
struct tuple_size<tuple<T...>> {
  static constexpr size_t value = sizeof...(T);
};

template <size_t kIndex, class... T>
inline typename tuple_element<kIndex, tuple<T...>>::type& get(tuple<T...>& t) {
  if constexpr (kIndex == 0) {
    return t.opgrade_first;
  } else {
    return get<kIndex - 1>(t.opgrade_rest);
  }
}
template <size_t kIndex, class... T>
inline const typename tuple_element<kIndex, tuple<T...>>::type& get(const tuple<T...>& t) {
  if constexpr (kIndex == 0) {
    return t.opgrade_first;
  } else {
    return get<kIndex - 1>(t.opgrade_rest);
  }
}
template <size_t kIndex, class... T>
inline typename tuple_element<kIndex, tuple<T...>>::type get(tuple<T...>&& t) {
  return static_cast<typename tuple_element<kIndex, tuple<T...>>::type>(get<kIndex>(t));
}

template <class... T>
inline tuple<typename std::decay<T>::type...> make_tuple(T&&... values) {
  return tuple<typename std::decay<T>::type...>(static_cast<T&&>(values)...);
}
template <class... T>
inline tuple<T&...> tie(T&... variables) {
  return tuple<T&...>(variables...);
}

template <class A, class B>
struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;
  pair() : first(), second() {}
  pair(const A& a, const B& b) : first(a), second(b) {}
  template <class C, class D>
  pair(const pair<C, D>& other) : first(other.first), second(other.second) {}
  bool operator==(const pair& b) const { return first == b.first && second == b.second; }
  bool operator!=(const pair& b) const { return !(*this == b); }
  bool operator<(const pair& b) const {
    return first < b.first || (!(b.first < first) && second < b.second);
  }
};
template <class A, class B>
inline pair<A, B> make_pair(A a, B b) {
  return pair<A, B>(a, b);
}

}  // namespace thrust

// For structured bindings.
template <class... T>
struct std::tuple_size<thrust::tuple<T...>> : std::integral_constant<size_t, sizeof...(T)> {};
template <size_t kIndex, class... T>
struct std::tuple_element<kIndex, thrust::tuple<T...>>
    : thrust::tuple_element<kIndex, thrust::tuple<T...>> {};
