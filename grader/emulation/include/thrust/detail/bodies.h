// Implements Thrust's algorithms, in order, on plain iterators. They return numbers of elements
// instead of iterators.
#pragma once
#pragma GCC system_header

#include "../iterator/iterators.h"

namespace thrust {
namespace opgrade {
namespace bodies {

using opgrade_emulation::Scratch;
template <class It>
inline size_t size(It first, It last) {
  return last - first > 0 ? (size_t)(last - first) : 0;
}

/// Copies a functor, because each thread of a GPU has its own copy: no element sees another's
/// state.
template <class F>
inline F own_copy(const F& f) {
  return f;
}

struct for_each {
  template <class It, class F>
  void operator()(It first, It last, F f) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) {
      auto&& element = first[(ptrdiff_t)i];
      own_copy(f)(element);
    }
  }
};

struct transform {
  template <class It, class Out, class F>
  size_t operator()(It first, It last, Out out, F f) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) out[i] = own_copy(f)(first[i]);
    return n;
  }
  template <class A, class B, class Out, class F>
  size_t operator()(A first, A last, B second, Out out, F f) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) out[i] = own_copy(f)(first[i], second[i]);
    return n;
  }
};
struct transform_if {
  template <class It, class Out, class F, class P>
  size_t operator()(It first, It last, Out out, F f, P p) const {
    return (*this)(first, last, first, out, f, p);
  }
  template <class It, class Stencil, class Out, class F, class P>
  size_t operator()(It first, It last, Stencil stencil, Out out, F f, P p) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i)
      if (own_copy(p)(stencil[i])) out[i] = own_copy(f)(first[i]);
    return n;
  }
};

struct fill {
  template <class It, class T>
  void operator()(It first, It last, const T& value) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) first[i] = value;
  }
};
struct sequence {
  template <class It, class T = ValueOf<It>>
  void operator()(It first, It last, T begin = T(0), T step = T(1)) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) first[i] = (ValueOf<It>)(begin + step * (T)i);
  }
};
struct generate {
  template <class It, class F>
  void operator()(It first, It last, F f) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) first[i] = own_copy(f)();
  }
};
struct tabulate {
  template <class It, class F>
  void operator()(It first, It last, F f) const {
    const ptrdiff_t n = last - first;
    for (ptrdiff_t i = 0; i < n; ++i) first[i] = own_copy(f)(i);
  }
};
struct copy {
  template <class It, class Out>
  size_t operator()(It first, It last, Out out) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) out[i] = first[i];
    return n;
  }
};
struct copy_if {
  template <class It, class Out, class P>
  size_t operator()(It first, It last, Out out, P p) const {
    return (*this)(first, last, first, out, p);
  }
  template <class It, class Stencil, class Out, class P>
  size_t operator()(It first, It last, Stencil stencil, Out out, P p) const {
    const size_t n = size(first, last);
    size_t copied = 0;
    for (size_t i = 0; i < n; ++i)
      if (p(stencil[i])) out[copied++] = first[i];
    return copied;
  }
};
struct swap_ranges {
  template <class A, class B>
  size_t operator()(A first, A last, B other) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) {
      const ValueOf<A> value = first[i];
      first[i] = other[i];
      other[i] = value;
    }
    return n;
  }
};
struct gather {
  template <class Map, class In, class Out>
  size_t operator()(Map first, Map last, In in, Out out) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) out[i] = in[(ptrdiff_t)first[i]];
    return n;
  }
};
struct scatter {
  template <class In, class Map, class Out>
  void operator()(In first, In last, Map map, Out out) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) out[(ptrdiff_t)map[i]] = first[i];
  }
};
struct scatter_if {
  template <class In, class Map, class Stencil, class Out>
  void operator()(In first, In last, Map map, Stencil stencil, Out out) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i)
      if (stencil[i]) out[(ptrdiff_t)map[i]] = first[i];
  }
};
struct reverse {
  template <class It>
  void operator()(It first, It last) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n / 2; ++i) {
      const ValueOf<It> value = first[i];
      first[i] = first[n - 1 - i];
      first[n - 1 - i] = value;
    }
  }
};
struct reverse_copy {
  template <class It, class Out>
  size_t operator()(It first, It last, Out out) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i) out[i] = first[n - 1 - i];
    return n;
  }
};
struct replace {
  template <class It, class T>
  void operator()(It first, It last, const T& old, const T& fresh) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i)
      if (first[i] == old) first[i] = fresh;
  }
};
struct replace_if {
  template <class It, class P, class T>
  void operator()(It first, It last, P p, const T& fresh) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i)
      if (p(first[i])) first[i] = fresh;
  }
};

struct reduce {
  template <class It>
  ValueOf<It> operator()(It first, It last) const {
    return (*this)(first, last, ValueOf<It>());
  }
  template <class It, class T>
  T operator()(It first, It last, T initial) const {
    return (*this)(first, last, initial, opgrade_emulation::operators::plus<>());
  }
  template <class It, class T, class Op>
  T operator()(It first, It last, T initial, Op op) const {
    const size_t n = size(first, last);
    if (n == 0) return initial;
    return op(initial, opgrade_emulation::reduce_range<T>(
                           [=](size_t i) -> T { return (T)first[i]; }, op, 0, n));
  }
};
struct transform_reduce {
  template <class It, class F, class T, class Op>
  T operator()(It first, It last, F f, T initial, Op op) const {
    const size_t n = size(first, last);
    if (n == 0) return initial;
    return op(initial, opgrade_emulation::reduce_range<T>(
                           [=](size_t i) mutable -> T { return (T)f(first[i]); }, op, 0, n));
  }
};
struct inner_product {
  template <class A, class B, class T>
  T operator()(A first, A last, B second, T initial) const {
    return (*this)(first, last, second, initial, opgrade_emulation::operators::plus<>(),
                   opgrade_emulation::operators::multiplies<>());
  }
  template <class A, class B, class T, class Op, class F>
  T operator()(A first, A last, B second, T initial, Op op, F f) const {
    const size_t n = size(first, last);
    if (n == 0) return initial;
    return op(initial,
              opgrade_emulation::reduce_range<T>(
                  [=](size_t i) mutable -> T { return (T)f(first[i], second[i]); }, op, 0, n));
  }
};
struct count_if {
  template <class It, class P>
  ptrdiff_t operator()(It first, It last, P p) const {
    const size_t n = size(first, last);
    ptrdiff_t count = 0;
    for (size_t i = 0; i < n; ++i) count += p(first[i]) ? 1 : 0;
    return count;
  }
};
struct count {
  template <class It, class T>
  ptrdiff_t operator()(It first, It last, const T& value) const {
    const size_t n = size(first, last);
    ptrdiff_t count = 0;
    for (size_t i = 0; i < n; ++i) count += first[i] == value ? 1 : 0;
    return count;
  }
};
/// Returns the index of the first element for which p is true, or of the end.
struct find_if {
  template <class It, class P>
  size_t operator()(It first, It last, P p) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i)
      if (p(first[i])) return i;
    return n;
  }
};
struct find {
  template <class It, class T>
  size_t operator()(It first, It last, const T& value) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i)
      if (first[i] == value) return i;
    return n;
  }
};
struct find_if_not {
  template <class It, class P>
  size_t operator()(It first, It last, P p) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i)
      if (!p(first[i])) return i;
    return n;
  }
};
struct all_of {
  template <class It, class P>
  bool operator()(It first, It last, P p) const {
    return find_if_not()(first, last, p) == size(first, last);
  }
};
struct any_of {
  template <class It, class P>
  bool operator()(It first, It last, P p) const {
    return find_if()(first, last, p) != size(first, last);
  }
};
struct none_of {
  template <class It, class P>
  bool operator()(It first, It last, P p) const {
    return !any_of()(first, last, p);
  }
};
struct equal {
  template <class A, class B>
  bool operator()(A first, A last, B other) const {
    return (*this)(first, last, other, opgrade_emulation::operators::equal_to<>());
  }
  template <class A, class B, class P>
  bool operator()(A first, A last, B other, P same) const {
    const size_t n = size(first, last);
    for (size_t i = 0; i < n; ++i)
      if (!same(first[i], other[i])) return false;
    return true;
  }
};
struct is_sorted {
  template <class It>
  bool operator()(It first, It last) const {
    return (*this)(first, last, opgrade_emulation::operators::less<>());
  }
  template <class It, class Less>
  bool operator()(It first, It last, Less less) const {
    const size_t n = size(first, last);
    for (size_t i = 1; i < n; ++i)
      if (less(first[i], first[i - 1])) return false;
    return true;
  }
};
struct min_element {
  template <class It>
  size_t operator()(It first, It last) const {
    return (*this)(first, last, opgrade_emulation::operators::less<>());
  }
  template <class It, class Less>
  size_t operator()(It first, It last, Less less) const {
    const size_t n = size(first, last);
    size_t best = 0;
    for (size_t i = 1; i < n; ++i)
      if (less(first[i], first[best])) best = i;
    return best;
  }
};
struct max_element {
  template <class It>
  size_t operator()(It first, It last) const {
    return (*this)(first, last, opgrade_emulation::operators::less<>());
  }
  template <class It, class Less>
  size_t operator()(It first, It last, Less less) const {
    return min_element()(first, last, [&](const auto& a, const auto& b) { return less(b, a); });
  }
};
struct minmax_element {
  template <class It, class... Less>
  pair<size_t, size_t> operator()(It first, It last, Less... less) const {
    return {min_element()(first, last, less...), max_element()(first, last, less...)};
  }
};

struct inclusive_scan {
  template <class It, class Out>
  size_t operator()(It first, It last, Out out) const {
    return (*this)(first, last, out, opgrade_emulation::operators::plus<>());
  }
  template <class It, class Out, class Op>
  size_t operator()(It first, It last, Out out, Op op) const {
    using T = ValueOf<It>;
    const size_t n = size(first, last);
    opgrade_emulation::scan_range<T>([=](size_t i) -> T { return first[i]; }, op,
                                     [=](size_t i, const T& sum) { out[i] = sum; }, n, false, T());
    return n;
  }
  template <class It, class Out, class T, class Op>
  size_t operator()(It first, It last, Out out, T initial, Op op) const {
    const size_t n = size(first, last);
    opgrade_emulation::scan_range<T>([=](size_t i) -> T { return (T)first[i]; }, op,
                                     [=](size_t i, const T& sum) { out[i] = sum; }, n, true,
                                     initial);
    return n;
  }
};
struct exclusive_scan {
  template <class It, class Out>
  size_t operator()(It first, It last, Out out) const {
    return (*this)(first, last, out, (decltype(ValueOf<It>() + ValueOf<It>()))(0));
  }
  template <class It, class Out, class T>
  size_t operator()(It first, It last, Out out, T initial) const {
    return (*this)(first, last, out, initial, opgrade_emulation::operators::plus<>());
  }
  template <class It, class Out, class T, class Op>
  size_t operator()(It first, It last, Out out, T initial, Op op) const {
    const size_t n = size(first, last);
    T before = initial;
    opgrade_emulation::scan_range<T>([=](size_t i) -> T { return (T)first[i]; }, op,
                                     [=, &before](size_t i, const T& sum) {
                                       out[i] = before;
                                       before = sum;
                                     },
                                     n, true, initial);
    return n;
  }
};
struct transform_inclusive_scan {
  template <class It, class Out, class F, class Op>
  size_t operator()(It first, It last, Out out, F f, Op op) const {
    return inclusive_scan()(make_transform_iterator(first, f), make_transform_iterator(last, f),
                            out, op);
  }
};
struct transform_exclusive_scan {
  template <class It, class Out, class F, class T, class Op>
  size_t operator()(It first, It last, Out out, F f, T initial, Op op) const {
    return exclusive_scan()(make_transform_iterator(first, f), make_transform_iterator(last, f),
                            out, initial, op);
  }
};
struct inclusive_scan_by_key {
  template <class Keys, class It, class Out>
  size_t operator()(Keys keys, Keys last, It first, Out out) const {
    return (*this)(keys, last, first, out, opgrade_emulation::operators::equal_to<>());
  }
  template <class Keys, class It, class Out, class Same>
  size_t operator()(Keys keys, Keys last, It first, Out out, Same same) const {
    return (*this)(keys, last, first, out, same, opgrade_emulation::operators::plus<>());
  }
  template <class Keys, class It, class Out, class Same, class Op>
  size_t operator()(Keys keys, Keys last, It first, Out out, Same same, Op op) const {
    const size_t n = size(keys, last);
    ValueOf<It> sum{};
    for (size_t i = 0; i < n; ++i) {
      const ValueOf<It> value = first[i];
      sum = i > 0 && same(keys[i - 1], keys[i]) ? (ValueOf<It>)op(sum, value) : value;
      out[i] = sum;
    }
    return n;
  }
};
struct exclusive_scan_by_key {
  template <class Keys, class It, class Out>
  size_t operator()(Keys keys, Keys last, It first, Out out) const {
    return (*this)(keys, last, first, out, ValueOf<It>());
  }
  template <class Keys, class It, class Out, class T>
  size_t operator()(Keys keys, Keys last, It first, Out out, T initial) const {
    return (*this)(keys, last, first, out, initial, opgrade_emulation::operators::equal_to<>());
  }
  template <class Keys, class It, class Out, class T, class Same>
  size_t operator()(Keys keys, Keys last, It first, Out out, T initial, Same same) const {
    return (*this)(keys, last, first, out, initial, same, opgrade_emulation::operators::plus<>());
  }
  template <class Keys, class It, class Out, class T, class Same, class Op>
  size_t operator()(Keys keys, Keys last, It first, Out out, T initial, Same same, Op op) const {
    const size_t n = size(keys, last);
    T sum = initial;
    for (size_t i = 0; i < n; ++i) {
      if (i > 0 && !same(keys[i - 1], keys[i])) sum = initial;
      const ValueOf<It> value = first[i];
      out[i] = sum;
      sum = op(sum, value);
    }
    return n;
  }
};
struct adjacent_difference {
  template <class It, class Out>
  size_t operator()(It first, It last, Out out) const {
    return (*this)(first, last, out, opgrade_emulation::operators::minus<>());
  }
  template <class It, class Out, class Op>
  size_t operator()(It first, It last, Out out, Op op) const {
    const size_t n = size(first, last);
    if (n == 0) return 0;
    ValueOf<It> before = first[0];
    out[0] = before;
    for (size_t i = 1; i < n; ++i) {
      const ValueOf<It> value = first[i];
      out[i] = op(value, before);
      before = value;
    }
    return n;
  }
};
struct reduce_by_key {
  template <class Keys, class It, class Out, class Sums>
  pair<size_t, size_t> operator()(Keys keys, Keys last, It first, Out out, Sums sums) const {
    return (*this)(keys, last, first, out, sums, opgrade_emulation::operators::equal_to<>());
  }
  template <class Keys, class It, class Out, class Sums, class Same>
  pair<size_t, size_t> operator()(Keys keys, Keys last, It first, Out out, Sums sums,
                                  Same same) const {
    return (*this)(keys, last, first, out, sums, same, opgrade_emulation::operators::plus<>());
  }
  template <class Keys, class It, class Out, class Sums, class Same, class Op>
  pair<size_t, size_t> operator()(Keys keys, Keys last, It first, Out out, Sums sums, Same same,
                                  Op op) const {
    using T = ValueOf<It>;
    const size_t n = size(keys, last);
    size_t runs = 0;
    for (size_t begin = 0, end; begin < n; begin = end, ++runs) {
      for (end = begin + 1; end < n && same(keys[end - 1], keys[end]);) ++end;
      const ValueOf<Keys> key = keys[begin];
      const T sum = opgrade_emulation::reduce_range<T>([=](size_t i) -> T { return first[i]; }, op,
                                                       begin, end);
      out[runs] = key;
      sums[runs] = sum;
    }
    return {runs, runs};
  }
};

/// Finds the order of elements. Numbers are sorted by their bits.
template <class T, class Less>
inline void order_of(const Scratch<T>& values, Scratch<size_t>& order, Less less) {
  namespace op = opgrade_emulation::operators;
  constexpr bool up =
      std::is_same<Less, op::less<>>::value || std::is_same<Less, op::less<T>>::value;
  constexpr bool down =
      std::is_same<Less, op::greater<>>::value || std::is_same<Less, op::greater<T>>::value;
  if constexpr (std::is_arithmetic<T>::value && sizeof(T) <= 8 && (up || down)) {
    (void)less;
    opgrade_emulation::sort_by_bits(values, order, 0, (int)sizeof(T) * 8, down);
  } else {
    opgrade_emulation::merge_sort(values, order, less);
  }
}
template <class It>
inline void load(Scratch<ValueOf<It>>& to, It from) {
  for (size_t i = 0; i < to.size(); ++i) to.set(i, (ValueOf<It>)from[i]);
}
struct sort {
  template <class It>
  void operator()(It first, It last) const {
    (*this)(first, last, opgrade_emulation::operators::less<>());
  }
  template <class It, class Less>
  void operator()(It first, It last, Less less) const {
    const size_t n = size(first, last);
    Scratch<ValueOf<It>> values(n);
    Scratch<size_t> order(n);
    load(values, first);
    order_of(values, order, less);
    for (size_t i = 0; i < n; ++i) first[i] = values.get(order.get(i));
  }
};
struct sort_by_key {
  template <class Keys, class It>
  void operator()(Keys first, Keys last, It others) const {
    (*this)(first, last, others, opgrade_emulation::operators::less<>());
  }
  template <class Keys, class It, class Less>
  void operator()(Keys first, Keys last, It others, Less less) const {
    const size_t n = size(first, last);
    Scratch<ValueOf<Keys>> keys(n);
    Scratch<ValueOf<It>> values(n);
    Scratch<size_t> order(n);
    load(keys, first);
    load(values, others);
    order_of(keys, order, less);
    for (size_t i = 0; i < n; ++i) {
      first[i] = keys.get(order.get(i));
      others[i] = values.get(order.get(i));
    }
  }
};

struct unique {
  template <class It>
  size_t operator()(It first, It last) const {
    return (*this)(first, last, opgrade_emulation::operators::equal_to<>());
  }
  template <class It, class Same>
  size_t operator()(It first, It last, Same same) const {
    const size_t n = size(first, last);
    size_t kept = n > 0 ? 1 : 0;
    for (size_t i = 1; i < n; ++i)
      if (!same(first[kept - 1], first[i])) {
        const ValueOf<It> value = first[i];
        first[kept++] = value;
      }
    return kept;
  }
};
struct unique_copy {
  template <class It, class Out>
  size_t operator()(It first, It last, Out out) const {
    return (*this)(first, last, out, opgrade_emulation::operators::equal_to<>());
  }
  template <class It, class Out, class Same>
  size_t operator()(It first, It last, Out out, Same same) const {
    const size_t n = size(first, last);
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i)
      if (i == 0 || !same(first[i - 1], first[i])) out[kept++] = first[i];
    return kept;
  }
};
struct unique_count {
  template <class It, class... Same>
  ptrdiff_t operator()(It first, It last, Same... same) const {
    return (ptrdiff_t)unique_copy()(first, last, discard_iterator<>(), same...);
  }
};
struct unique_by_key {
  template <class Keys, class It>
  pair<size_t, size_t> operator()(Keys first, Keys last, It values) const {
    return (*this)(first, last, values, opgrade_emulation::operators::equal_to<>());
  }
  template <class Keys, class It, class Same>
  pair<size_t, size_t> operator()(Keys first, Keys last, It values, Same same) const {
    const size_t n = size(first, last);
    size_t kept = n > 0 ? 1 : 0;
    for (size_t i = 1; i < n; ++i)
      if (!same(first[kept - 1], first[i])) {
        const ValueOf<Keys> key = first[i];
        const ValueOf<It> value = values[i];
        first[kept] = key;
        values[kept++] = value;
      }
    return {kept, kept};
  }
};
struct remove_if {
  template <class It, class P>
  size_t operator()(It first, It last, P p) const {
    return (*this)(first, last, first, p);
  }
  template <class It, class Stencil, class P>
  size_t operator()(It first, It last, Stencil stencil, P p) const {
    const size_t n = size(first, last);
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i)
      if (!p(stencil[i])) {
        const ValueOf<It> value = first[i];
        first[kept++] = value;
      }
    return kept;
  }
};
struct remove {
  template <class It, class T>
  size_t operator()(It first, It last, const T& old) const {
    return remove_if()(first, last, [=](const ValueOf<It>& value) { return value == old; });
  }
};
struct remove_copy_if {
  template <class It, class Out, class P>
  size_t operator()(It first, It last, Out out, P p) const {
    return copy_if()(first, last, out, [=](const ValueOf<It>& value) { return !p(value); });
  }
};
struct partition {
  template <class It, class P>
  size_t operator()(It first, It last, P p) const {
    const size_t n = size(first, last);
    Scratch<ValueOf<It>> values(n);
    load(values, first);
    size_t at = 0, yes = 0;
    for (size_t i = 0; i < n; ++i) {
      const ValueOf<It> value = values.get(i);
      if (p(value)) first[at++] = value;
    }
    yes = at;
    for (size_t i = 0; i < n; ++i) {
      const ValueOf<It> value = values.get(i);
      if (!p(value)) first[at++] = value;
    }
    return yes;
  }
};
struct partition_copy {
  template <class It, class Yes, class No, class P>
  pair<size_t, size_t> operator()(It first, It last, Yes yes, No no, P p) const {
    const size_t n = size(first, last);
    pair<size_t, size_t> counts(0, 0);
    for (size_t i = 0; i < n; ++i) {
      const ValueOf<It> value = first[i];
      if (p(value))
        yes[counts.first++] = value;
      else
        no[counts.second++] = value;
    }
    return counts;
  }
};
struct merge {
  template <class A, class B, class Out>
  size_t operator()(A a, A a_end, B b, B b_end, Out out) const {
    return (*this)(a, a_end, b, b_end, out, opgrade_emulation::operators::less<>());
  }
  template <class A, class B, class Out, class Less>
  size_t operator()(A a, A a_end, B b, B b_end, Out out, Less less) const {
    const size_t n = size(a, a_end), m = size(b, b_end);
    for (size_t i = 0, j = 0; i + j < n + m;) {
      const size_t at = i + j;
      if (i == n || (j < m && less(b[j], a[i])))
        out[at] = b[j++];
      else
        out[at] = a[i++];
    }
    return n + m;
  }
};

template <class It, class T, class Goes>
inline size_t first_not(It first, It last, const T& value, Goes goes_right) {
  size_t low = 0, high = size(first, last);
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (goes_right(first[middle], value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
struct lower_bound {
  template <class It, class T, class Less = opgrade_emulation::operators::less<>>
  size_t operator()(It first, It last, const T& value, Less less = {}) const {
    return first_not(first, last, value, [=](const auto& a, const auto& b) { return less(a, b); });
  }
};
struct upper_bound {
  template <class It, class T, class Less = opgrade_emulation::operators::less<>>
  size_t operator()(It first, It last, const T& value, Less less = {}) const {
    return first_not(first, last, value, [=](const auto& a, const auto& b) { return !less(b, a); });
  }
};
struct binary_search {
  template <class It, class T, class Less = opgrade_emulation::operators::less<>>
  bool operator()(It first, It last, const T& value, Less less = {}) const {
    const size_t at = lower_bound()(first, last, value, less);
    return at < size(first, last) && !less(value, first[at]);
  }
};
/// Searches several values at once.
template <class Search>
struct each_value {
  template <class It, class Values, class Out, class... Less>
  size_t operator()(It first, It last, Values values, Values end, Out out, Less... less) const {
    const size_t n = size(values, end);
    for (size_t i = 0; i < n; ++i)
      out[i] = Search()(first, last, (ValueOf<Values>)values[i], less...);
    return n;
  }
};

}  // namespace bodies
}  // namespace opgrade
}  // namespace thrust
