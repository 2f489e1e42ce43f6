// Stands in for Thrust's algorithms. The first argument may be a policy.
#pragma once
#pragma GCC system_header

#include "detail/bodies.h"

namespace thrust {
namespace opgrade {

template <size_t kIndex, class First, class... Rest>
OPGRADE_INLINE auto pick(const First& first, const Rest&... rest) {
  if constexpr (kIndex == 0) {
    return first;
  } else {
    return pick<kIndex - 1>(rest...);
  }
}

template <class Body, class... A>
OPGRADE_INLINE auto call(const char* name, const Policy& policy, const A&... a) {
  using Result = decltype(Body()(raw(a)...));
  if constexpr (std::is_void<Result>::value) {
    run(name, policy, [=] { Body()(raw(a)...); });
  } else {
    return run_for_value<Result>(name, policy, [=] { return Body()(raw(a)...); });
  }
}
template <class... A>
constexpr Policy policy_of() {
  return {run_on_device<A...>, nullptr};
}

}  // namespace opgrade

namespace opgrade {

/// What an algorithm returns: the value itself, or an argument, which is an iterator, moved.
struct AsIs {
  template <class Result, class... A>
  static OPGRADE_INLINE Result of(const Result& result, const A&...) {
    return result;
  }
};
template <size_t kIndex>
struct Moved {
  template <class... A>
  static OPGRADE_INLINE auto of(size_t n, const A&... a) {
    return pick<kIndex>(a...) + (ptrdiff_t)n;
  }
};
template <size_t kFirst, size_t kSecond>
struct BothMoved {
  template <class... A>
  static OPGRADE_INLINE auto of(const pair<size_t, size_t>& n, const A&... a) {
    return make_pair(pick<kFirst>(a...) + (ptrdiff_t)n.first,
                     pick<kSecond>(a...) + (ptrdiff_t)n.second);
  }
};
/// Selects the output, which follows the inputs: one input, or two if there are five arguments.
template <size_t kIndex, size_t kMore, size_t kCount>
struct MovedIfMore {
  template <class... A>
  static OPGRADE_INLINE auto of(size_t n, const A&... a) {
    return pick<(sizeof...(A) >= kCount ? kMore : kIndex)>(a...) + (ptrdiff_t)n;
  }
};

template <class Body, class Result, class... A>
OPGRADE_INLINE auto with_policy(const char* name, const Policy& policy, const A&... a) {
  if constexpr (std::is_void<decltype(Body()(raw(a)...))>::value) {
    call<Body>(name, policy, a...);
  } else {
    return Result::of(call<Body>(name, policy, a...), a...);
  }
}
template <class Body, class Result, class First, class... A>
OPGRADE_INLINE auto form(const char* name, const First& first, const A&... a) {
  if constexpr (is_policy<First>) {
    return with_policy<Body, Result>(name, first, a...);
  } else {
    return with_policy<Body, Result>(name, policy_of<First, A...>(), first, a...);
  }
}

}  // namespace opgrade

#define OPGRADE_ALGORITHM(name, body, ...)                                                     \
  template <class First, class... A>                                                           \
  OPGRADE_INLINE auto name(First first, A... a) {                                              \
    return opgrade::form<opgrade::bodies::body, opgrade::__VA_ARGS__>("thrust::" #name, first, \
                                                                      a...);                   \
  }
OPGRADE_ALGORITHM(transform, transform, MovedIfMore<2, 3, 5>)
OPGRADE_ALGORITHM(transform_if, transform_if, MovedIfMore<2, 3, 6>)
OPGRADE_ALGORITHM(fill, fill, AsIs)
OPGRADE_ALGORITHM(uninitialized_fill, fill, AsIs)
OPGRADE_ALGORITHM(sequence, sequence, AsIs)
OPGRADE_ALGORITHM(generate, generate, AsIs)
OPGRADE_ALGORITHM(tabulate, tabulate, AsIs)
OPGRADE_ALGORITHM(copy_if, copy_if, MovedIfMore<2, 3, 5>)
OPGRADE_ALGORITHM(swap_ranges, swap_ranges, Moved<2>)
OPGRADE_ALGORITHM(gather, gather, Moved<3>)
OPGRADE_ALGORITHM(scatter, scatter, AsIs)
OPGRADE_ALGORITHM(scatter_if, scatter_if, AsIs)
OPGRADE_ALGORITHM(reverse, reverse, AsIs)
OPGRADE_ALGORITHM(reverse_copy, reverse_copy, Moved<2>)
OPGRADE_ALGORITHM(replace, replace, AsIs)
OPGRADE_ALGORITHM(replace_if, replace_if, AsIs)
OPGRADE_ALGORITHM(reduce, reduce, AsIs)
OPGRADE_ALGORITHM(transform_reduce, transform_reduce, AsIs)
OPGRADE_ALGORITHM(inner_product, inner_product, AsIs)
OPGRADE_ALGORITHM(count, count, AsIs)
OPGRADE_ALGORITHM(count_if, count_if, AsIs)
OPGRADE_ALGORITHM(find, find, Moved<0>)
OPGRADE_ALGORITHM(find_if, find_if, Moved<0>)
OPGRADE_ALGORITHM(find_if_not, find_if_not, Moved<0>)
OPGRADE_ALGORITHM(all_of, all_of, AsIs)
OPGRADE_ALGORITHM(any_of, any_of, AsIs)
OPGRADE_ALGORITHM(none_of, none_of, AsIs)
OPGRADE_ALGORITHM(equal, equal, AsIs)
OPGRADE_ALGORITHM(is_sorted, is_sorted, AsIs)
OPGRADE_ALGORITHM(min_element, min_element, Moved<0>)
OPGRADE_ALGORITHM(max_element, max_element, Moved<0>)
OPGRADE_ALGORITHM(minmax_element, minmax_element, BothMoved<0, 0>)
OPGRADE_ALGORITHM(inclusive_scan, inclusive_scan, Moved<2>)
OPGRADE_ALGORITHM(exclusive_scan, exclusive_scan, Moved<2>)
OPGRADE_ALGORITHM(transform_inclusive_scan, transform_inclusive_scan, Moved<2>)
OPGRADE_ALGORITHM(transform_exclusive_scan, transform_exclusive_scan, Moved<2>)
OPGRADE_ALGORITHM(inclusive_scan_by_key, inclusive_scan_by_key, Moved<3>)
OPGRADE_ALGORITHM(exclusive_scan_by_key, exclusive_scan_by_key, Moved<3>)
OPGRADE_ALGORITHM(adjacent_difference, adjacent_difference, Moved<2>)
OPGRADE_ALGORITHM(reduce_by_key, reduce_by_key, BothMoved<3, 4>)
OPGRADE_ALGORITHM(sort, sort, AsIs)
OPGRADE_ALGORITHM(stable_sort, sort, AsIs)
OPGRADE_ALGORITHM(sort_by_key, sort_by_key, AsIs)
OPGRADE_ALGORITHM(stable_sort_by_key, sort_by_key, AsIs)
OPGRADE_ALGORITHM(unique, unique, Moved<0>)
OPGRADE_ALGORITHM(unique_copy, unique_copy, Moved<2>)
OPGRADE_ALGORITHM(unique_count, unique_count, AsIs)
OPGRADE_ALGORITHM(unique_by_key, unique_by_key, BothMoved<0, 2>)
OPGRADE_ALGORITHM(remove, remove, Moved<0>)
OPGRADE_ALGORITHM(remove_if, remove_if, Moved<0>)
OPGRADE_ALGORITHM(remove_copy_if, remove_copy_if, Moved<2>)
OPGRADE_ALGORITHM(partition, partition, Moved<0>)
OPGRADE_ALGORITHM(stable_partition, partition, Moved<0>)
OPGRADE_ALGORITHM(partition_copy, partition_copy, BothMoved<2, 3>)
OPGRADE_ALGORITHM(merge, merge, Moved<4>)
#undef OPGRADE_ALGORITHM

namespace opgrade {
template <class Search, bool kReturnsIterator, class First, class... A>
OPGRADE_INLINE auto search(const char* name, const Policy& policy, const First& first,
                           const First& last, const A&... a) {
  // For one value, or for those between two iterators.
  if constexpr (sizeof...(A) <= 2 && kReturnsIterator) {
    return first + (ptrdiff_t)call<Search>(name, policy, first, last, a...);
  } else if constexpr (sizeof...(A) <= 2) {
    return call<Search>(name, policy, first, last, a...);
  } else {
    return pick<2>(a...) +
           (ptrdiff_t)call<bodies::each_value<Search>>(name, policy, first, last, a...);
  }
}
}  // namespace opgrade
#define OPGRADE_SEARCH(name, returns_iterator)                                               \
  template <class First, class Second, class... A>                                           \
  OPGRADE_INLINE auto name(First first, Second second, A... a) {                             \
    using Body = opgrade::bodies::name;                                                      \
    if constexpr (opgrade::is_policy<First>) {                                               \
      return opgrade::search<Body, returns_iterator>("thrust::" #name, first, second, a...); \
    } else {                                                                                 \
      return opgrade::search<Body, returns_iterator>(                                        \
          "thrust::" #name, opgrade::policy_of<First, A...>(), first, second, a...);         \
    }                                                                                        \
  }
OPGRADE_SEARCH(lower_bound, true)
OPGRADE_SEARCH(upper_bound, true)
OPGRADE_SEARCH(binary_search, false)
#undef OPGRADE_SEARCH

// Algorithms on n elements, which return the iterator behind them.
#define OPGRADE_OF_N(name, body)                                                         \
  template <class It, class N, class T>                                                  \
  OPGRADE_INLINE It name(const It& first, N n, const T& what) {                          \
    opgrade::form<opgrade::bodies::body, opgrade::AsIs>("thrust::" #name, first,         \
                                                        first + (ptrdiff_t)n, what);     \
    return first + (ptrdiff_t)n;                                                         \
  }                                                                                      \
  template <class P, class It, class N, class T>                                         \
  OPGRADE_INLINE It name(const P& policy, const It& first, N n, const T& what) {         \
    opgrade::form<opgrade::bodies::body, opgrade::AsIs>("thrust::" #name, policy, first, \
                                                        first + (ptrdiff_t)n, what);     \
    return first + (ptrdiff_t)n;                                                         \
  }
OPGRADE_OF_N(fill_n, fill)
OPGRADE_OF_N(uninitialized_fill_n, fill)
OPGRADE_OF_N(generate_n, generate)
OPGRADE_OF_N(for_each_n, for_each)
#undef OPGRADE_OF_N
template <class It, class F>
OPGRADE_INLINE It for_each(const It& first, const It& last, const F& f) {
  opgrade::form<opgrade::bodies::for_each, opgrade::AsIs>("thrust::for_each", first, last, f);
  return last;
}
template <class P, class It, class F>
OPGRADE_INLINE It for_each(const P& policy, const It& first, const It& last, const F& f) {
  opgrade::form<opgrade::bodies::for_each, opgrade::AsIs>("thrust::for_each", policy, first, last,
                                                          f);
  return last;
}

}  // namespace thrust
