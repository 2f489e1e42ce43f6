// Stands in for Thrust's iterators that compute their elements.
#pragma once
#pragma GCC system_header

#include "../device_ptr.h"

namespace thrust {
namespace opgrade {

/// Base of these iterators. `Self` must have at(index) and move(n).
template <class Self, class Value, class Reference, class System>
struct Iterator {
  using value_type = Value;
  using reference = Reference;
  using pointer = Value*;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  using opgrade_system = System;

  Reference operator*() const { return self().at(0); }
  Reference operator[](ptrdiff_t i) const { return self().at(i); }
  Self operator+(ptrdiff_t n) const {
    Self moved = self();
    moved.move(n);
    return moved;
  }
  Self operator-(ptrdiff_t n) const { return *this + -n; }
  friend Self operator+(ptrdiff_t n, const Self& it) { return it + n; }
  Self& operator+=(ptrdiff_t n) { return me().move(n), me(); }
  Self& operator-=(ptrdiff_t n) { return me().move(-n), me(); }
  Self& operator++() { return me().move(1), me(); }
  Self& operator--() { return me().move(-1), me(); }
  Self operator++(int) {
    const Self before = self();
    me().move(1);
    return before;
  }
  ptrdiff_t operator-(const Iterator& other) const { return self().from(other.self()); }
  bool operator==(const Iterator& other) const { return self().from(other.self()) == 0; }
  bool operator!=(const Iterator& other) const { return self().from(other.self()) != 0; }
  bool operator<(const Iterator& other) const { return self().from(other.self()) < 0; }
  bool operator>(const Iterator& other) const { return self().from(other.self()) > 0; }

 private:
  const Self& self() const { return *(const Self*)this; }
  Self& me() { return *(Self*)this; }
};

template <class It>
using RawOf = decltype(raw(std::declval<It>()));
template <class It>
using ReferenceOf = decltype(*std::declval<It>());
template <class... It>
using SystemOf = CommonSystem<It...>;

}  // namespace opgrade

template <class T, class = void, class = void, class = void>
class counting_iterator : public opgrade::Iterator<counting_iterator<T>, T, T, any_system_tag> {
 public:
  counting_iterator() : value_() {}
  explicit counting_iterator(T value) : value_(value) {}
  T at(ptrdiff_t i) const { return (T)(value_ + (T)i); }
  void move(ptrdiff_t n) { value_ = (T)(value_ + (T)n); }
  ptrdiff_t from(const counting_iterator& other) const {
    return (ptrdiff_t)value_ - (ptrdiff_t)other.value_;
  }

 private:
  T value_;
};
template <class T>
inline counting_iterator<T> make_counting_iterator(T value) {
  return counting_iterator<T>(value);
}

template <class T, class = void, class = void>
class constant_iterator : public opgrade::Iterator<constant_iterator<T>, T, T, any_system_tag> {
 public:
  explicit constant_iterator(T value, ptrdiff_t place = 0) : value_(value), place_(place) {}
  T at(ptrdiff_t) const { return value_; }
  void move(ptrdiff_t n) { place_ += n; }
  ptrdiff_t from(const constant_iterator& other) const { return place_ - other.place_; }

 private:
  T value_;
  ptrdiff_t place_;
};
template <class T>
inline constant_iterator<T> make_constant_iterator(T value, ptrdiff_t place = 0) {
  return constant_iterator<T>(value, place);
}

/// An iterator that ignores what is written to it.
template <class = void>
class discard_iterator;
namespace opgrade {
struct Sink {
  template <class T>
  const Sink& operator=(const T&) const {
    return *this;
  }
};
}  // namespace opgrade
template <>
class discard_iterator<void> : public opgrade::Iterator<discard_iterator<void>, opgrade::Sink,
                                                        opgrade::Sink, any_system_tag> {
 public:
  explicit discard_iterator(ptrdiff_t place = 0) : place_(place) {}
  opgrade::Sink at(ptrdiff_t) const { return {}; }
  void move(ptrdiff_t n) { place_ += n; }
  ptrdiff_t from(const discard_iterator& other) const { return place_ - other.place_; }

 private:
  ptrdiff_t place_;
};
inline discard_iterator<> make_discard_iterator(ptrdiff_t place = 0) {
  return discard_iterator<>(place);
}

template <class F, class It, class Reference = void, class Value = void>
class transform_iterator
    : public opgrade::Iterator<transform_iterator<F, It, Reference, Value>,
                               typename std::decay<decltype(std::declval<F&>()(
                                   *std::declval<opgrade::RawOf<It>>()))>::type,
                               typename std::decay<decltype(std::declval<F&>()(
                                   *std::declval<opgrade::RawOf<It>>()))>::type,
                               opgrade::SystemOf<It>> {
 public:
  using Result =
      typename std::decay<decltype(std::declval<F&>()(*std::declval<opgrade::RawOf<It>>()))>::type;
  transform_iterator(It it, F function) : it_(it), function_(function) {}
  explicit transform_iterator(It it) : it_(it), function_() {}
  Result at(ptrdiff_t i) const { return const_cast<F&>(function_)(it_[i]); }
  void move(ptrdiff_t n) { it_ += n; }
  ptrdiff_t from(const transform_iterator& other) const { return it_ - other.it_; }
  It base() const { return it_; }
  F functor() const { return function_; }

 private:
  It it_;
  F function_;
};
template <class It, class F>
inline transform_iterator<F, It> make_transform_iterator(It it, F function) {
  return transform_iterator<F, It>(it, function);
}

/// Element i is element index[i] of another sequence.
template <class Elements, class Indices>
class permutation_iterator
    : public opgrade::Iterator<permutation_iterator<Elements, Indices>, opgrade::ValueOf<Elements>,
                               opgrade::ReferenceOf<Elements>,
                               opgrade::SystemOf<Elements, Indices>> {
 public:
  permutation_iterator(Elements elements, Indices indices)
      : elements_(elements), indices_(indices) {}
  opgrade::ReferenceOf<Elements> at(ptrdiff_t i) const {
    return elements_[(ptrdiff_t)(opgrade::ValueOf<Indices>)indices_[i]];
  }
  void move(ptrdiff_t n) { indices_ += n; }
  ptrdiff_t from(const permutation_iterator& other) const { return indices_ - other.indices_; }
  Elements opgrade_elements() const { return elements_; }
  Indices opgrade_indices() const { return indices_; }

 private:
  Elements elements_;
  Indices indices_;
};
template <class Elements, class Indices>
inline permutation_iterator<Elements, Indices> make_permutation_iterator(Elements elements,
                                                                         Indices indices) {
  return permutation_iterator<Elements, Indices>(elements, indices);
}

template <class It>
class reverse_iterator : public opgrade::Iterator<reverse_iterator<It>, opgrade::ValueOf<It>,
                                                  opgrade::ReferenceOf<It>, opgrade::SystemOf<It>> {
 public:
  explicit reverse_iterator(It it) : it_(it) {}
  opgrade::ReferenceOf<It> at(ptrdiff_t i) const { return *(it_ - (i + 1)); }
  void move(ptrdiff_t n) { it_ -= n; }
  ptrdiff_t from(const reverse_iterator& other) const { return other.it_ - it_; }
  It base() const { return it_; }

 private:
  It it_;
};
template <class It>
inline reverse_iterator<It> make_reverse_iterator(It it) {
  return reverse_iterator<It>(it);
}

template <class Iterators>
class zip_iterator;
template <class... It>
class zip_iterator<tuple<It...>>
    : public opgrade::Iterator<zip_iterator<tuple<It...>>, tuple<opgrade::ValueOf<It>...>,
                               tuple<opgrade::ReferenceOf<It>...>, opgrade::SystemOf<It...>> {
 public:
  explicit zip_iterator(const tuple<It...>& iterators) : iterators_(iterators) {}
  tuple<opgrade::ReferenceOf<It>...> at(ptrdiff_t i) const {
    return references(i, std::index_sequence_for<It...>());
  }
  void move(ptrdiff_t n) { move_each(n, std::index_sequence_for<It...>()); }
  ptrdiff_t from(const zip_iterator& other) const {
    return get<0>(iterators_) - get<0>(other.iterators_);
  }
  const tuple<It...>& get_iterator_tuple() const { return iterators_; }

 private:
  template <size_t... kIndex>
  tuple<opgrade::ReferenceOf<It>...> references(ptrdiff_t i, std::index_sequence<kIndex...>) const {
    return tuple<opgrade::ReferenceOf<It>...>(get<kIndex>(iterators_)[i]...);
  }
  template <size_t... kIndex>
  void move_each(ptrdiff_t n, std::index_sequence<kIndex...>) {
    ((get<kIndex>(iterators_) += n), ...);
  }
  tuple<It...> iterators_;
};
template <class... It>
inline zip_iterator<tuple<It...>> make_zip_iterator(const tuple<It...>& iterators) {
  return zip_iterator<tuple<It...>>(iterators);
}
template <class... It>
inline zip_iterator<tuple<It...>> make_zip_iterator(It... iterators) {
  return zip_iterator<tuple<It...>>(tuple<It...>(iterators...));
}

namespace opgrade {
template <class F, class It, class R, class V>
struct Raw<transform_iterator<F, It, R, V>> {
  static OPGRADE_INLINE auto of(const transform_iterator<F, It, R, V>& it) {
    return make_transform_iterator(raw(it.base()), it.functor());
  }
};
template <class Elements, class Indices>
struct Raw<permutation_iterator<Elements, Indices>> {
  static OPGRADE_INLINE auto of(const permutation_iterator<Elements, Indices>& it) {
    return make_permutation_iterator(raw(it.opgrade_elements()), raw(it.opgrade_indices()));
  }
};
template <class It>
struct Raw<reverse_iterator<It>> {
  static OPGRADE_INLINE auto of(const reverse_iterator<It>& it) {
    return make_reverse_iterator(raw(it.base()));
  }
};
template <class... It>
struct Raw<zip_iterator<tuple<It...>>> {
  static OPGRADE_INLINE auto of(const zip_iterator<tuple<It...>>& it) {
    return each(it.get_iterator_tuple(), std::index_sequence_for<It...>());
  }

 private:
  template <size_t... kIndex>
  static OPGRADE_INLINE auto each(const tuple<It...>& all, std::index_sequence<kIndex...>) {
    return make_zip_iterator(make_tuple(raw(get<kIndex>(all))...));
  }
};
}  // namespace opgrade

template <class It>
inline auto distance(It first, It last) {
  return last - first;
}
template <class It, class N>
inline void advance(It& it, N n) {
  it += n;
}
template <class It>
struct iterator_value {
  using type = typename std::iterator_traits<It>::value_type;
};
template <class It>
using iterator_value_t = typename std::iterator_traits<It>::value_type;
template <class It>
using iterator_traits = std::iterator_traits<It>;

}  // namespace thrust
