// Stands in for CUB's iterators that compute their values.
#pragma once
#pragma GCC system_header

#include "../device/dispatch.cuh"

namespace cub {

/// An iterator `It` over indices; `It::at(index)` computes the value.
template <class Iterator, class T>
struct opgrade_computed {
  using value_type = T;
  using reference = T;
  using pointer = const T*;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  T operator*() const { return self().at(0); }
  T operator[](ptrdiff_t i) const { return self().at(i); }
  Iterator operator+(ptrdiff_t n) const {
    Iterator moved = self();
    moved.move(n);
    return moved;
  }
  Iterator operator-(ptrdiff_t n) const { return self() + -n; }
  Iterator& operator+=(ptrdiff_t n) { return ((Iterator*)this)->move(n), *(Iterator*)this; }
  Iterator& operator++() { return *this += 1; }
  Iterator operator++(int) {
    const Iterator before = self();
    *this += 1;
    return before;
  }

 private:
  const Iterator& self() const { return *(const Iterator*)this; }
};

template <class T, class = ptrdiff_t>
class ConstantInputIterator : public opgrade_computed<ConstantInputIterator<T>, T> {
 public:
  explicit ConstantInputIterator(T value) : value_(value) {}
  T at(ptrdiff_t) const { return value_; }
  void move(ptrdiff_t) {}

 private:
  T value_;
};

template <class T, class = ptrdiff_t>
class CountingInputIterator : public opgrade_computed<CountingInputIterator<T>, T> {
 public:
  explicit CountingInputIterator(T first) : first_(first) {}
  T at(ptrdiff_t i) const { return first_ + (T)i; }
  void move(ptrdiff_t n) { first_ = first_ + (T)n; }

 private:
  T first_;
};

template <class T, class F, class It, class = ptrdiff_t>
class TransformInputIterator : public opgrade_computed<TransformInputIterator<T, F, It>, T> {
 public:
  TransformInputIterator(It it, F function) : it_(it), function_(function) {}
  T at(ptrdiff_t i) const { return (T)function_(it_[i]); }
  void move(ptrdiff_t n) { it_ = it_ + n; }

 private:
  It it_;
  F function_;
};

template <class It, class Index = ptrdiff_t>
class ArgIndexInputIterator : public opgrade_computed<ArgIndexInputIterator<It, Index>,
                                                      KeyValuePair<Index, opgrade::ValueOf<It>>> {
 public:
  explicit ArgIndexInputIterator(It it, Index first = 0) : it_(it), first_(first) {}
  KeyValuePair<Index, opgrade::ValueOf<It>> at(ptrdiff_t i) const {
    return {(Index)(first_ + (Index)i), it_[first_ + i]};
  }
  void move(ptrdiff_t n) { first_ += (Index)n; }

 private:
  It it_;
  Index first_;
};

template <CacheLoadModifier kModifier, class T, class = ptrdiff_t>
class CacheModifiedInputIterator
    : public opgrade_computed<CacheModifiedInputIterator<kModifier, T>, T> {
 public:
  explicit CacheModifiedInputIterator(const T* it) : it_(it) {}
  T at(ptrdiff_t i) const { return it_[i]; }
  void move(ptrdiff_t n) { it_ += n; }

 private:
  const T* it_;
};

}  // namespace cub
