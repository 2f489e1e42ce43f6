// Stands in for Thrust's vectors. A device_vector is memory of the emulated device.
#pragma once
#pragma GCC system_header

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "copy.h"

namespace thrust {

template <class T, class = void>
class device_vector;

template <class T, class = void>
class host_vector {
 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using iterator = T*;
  using const_iterator = const T*;

  host_vector() = default;
  explicit host_vector(size_t n) : size_(n), all_(new T[n]()) {}
  host_vector(size_t n, const T& value) : host_vector(n) {
    for (size_t i = 0; i < n; ++i) all_[i] = value;
  }
  host_vector(std::initializer_list<T> values) : host_vector(values.begin(), values.end()) {}
  template <class It, class = typename std::enable_if<opgrade::is_iterator<It>::value>::type>
  host_vector(It first, It last) {
    assign(first, last);
  }
  host_vector(const host_vector& other) : host_vector(other.begin(), other.end()) {}
  host_vector(host_vector&& other) noexcept { swap(other); }
  template <class U>
  host_vector(const host_vector<U>& other) : host_vector(other.begin(), other.end()) {}
  template <class U>
  host_vector(const device_vector<U>& other) : host_vector(other.begin(), other.end()) {}
  template <class U, class A>
  host_vector(const std::vector<U, A>& other) : host_vector(other.begin(), other.end()) {}
  ~host_vector() { delete[] all_; }
  host_vector& operator=(const host_vector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  host_vector& operator=(host_vector&& other) noexcept {
    swap(other);
    return *this;
  }
  template <class Vector, class = decltype(std::declval<const Vector&>().begin())>
  host_vector& operator=(const Vector& other) {
    assign(other.begin(), other.end());
    return *this;
  }

  template <class It, class = typename std::enable_if<opgrade::is_iterator<It>::value>::type>
  void assign(It first, It last) {
    host_vector fresh((size_t)std::distance(first, last));
    thrust::copy(first, last, fresh.all_);
    swap(fresh);
  }
  void assign(size_t n, const T& value) {
    host_vector fresh(n, value);
    swap(fresh);
  }
  T* begin() { return all_; }
  T* end() { return all_ + size_; }
  const T* begin() const { return all_; }
  const T* end() const { return all_ + size_; }
  const T* cbegin() const { return all_; }
  const T* cend() const { return all_ + size_; }
  thrust::reverse_iterator<T*> rbegin() { return thrust::make_reverse_iterator(end()); }
  thrust::reverse_iterator<T*> rend() { return thrust::make_reverse_iterator(begin()); }
  thrust::reverse_iterator<const T*> rbegin() const { return thrust::make_reverse_iterator(end()); }
  thrust::reverse_iterator<const T*> rend() const { return thrust::make_reverse_iterator(begin()); }
  T* data() { return all_; }
  const T* data() const { return all_; }
  size_t size() const { return size_; }
  size_t capacity() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return all_[i]; }
  const T& operator[](size_t i) const { return all_[i]; }
  T& front() { return all_[0]; }
  const T& front() const { return all_[0]; }
  T& back() { return all_[size_ - 1]; }
  const T& back() const { return all_[size_ - 1]; }
  void resize(size_t n, const T& value = T()) {
    host_vector fresh(n, value);
    for (size_t i = 0; i < n && i < size_; ++i) fresh.all_[i] = all_[i];
    swap(fresh);
  }
  void reserve(size_t) {}
  void shrink_to_fit() {}
  void clear() { resize(0); }
  void push_back(const T& value) {
    const T kept = value;
    resize(size_ + 1, kept);
  }
  void pop_back() { resize(size_ - 1); }
  iterator erase(iterator first, iterator last) {
    const ptrdiff_t at = first - all_;
    const size_t left = size_ - (size_t)(last - first);
    std::copy(last, end(), first);
    resize(left);
    return all_ + at;
  }
  iterator erase(iterator place) { return erase(place, place + 1); }
  template <class It, class = typename std::enable_if<opgrade::is_iterator<It>::value>::type>
  void insert(iterator place, It first, It last) {
    const ptrdiff_t at = place - all_;
    const host_vector fresh(first, last), behind(place, end());
    resize(size_ + fresh.size_);
    std::copy(behind.begin(), behind.end(), std::copy(fresh.begin(), fresh.end(), all_ + at));
  }
  void insert(iterator place, size_t n, const T& value) {
    const host_vector fresh(n, value);
    insert(place, fresh.begin(), fresh.end());
  }
  iterator insert(iterator place, const T& value) {
    const ptrdiff_t at = place - all_;
    insert(place, 1, value);
    return all_ + at;
  }
  void swap(host_vector& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(all_, other.all_);
  }
  bool operator==(const host_vector& other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }
  bool operator!=(const host_vector& other) const { return !(*this == other); }

 private:
  size_t size_ = 0;
  T* all_ = nullptr;
};

template <class T, class>
class device_vector {
 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using reference = device_reference<T>;
  using const_reference = device_reference<const T>;
  using pointer = device_ptr<T>;
  using const_pointer = device_ptr<const T>;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<const T>;

  device_vector() = default;
  OPGRADE_INLINE explicit device_vector(size_t n) : device_vector(n, T()) {}
  OPGRADE_INLINE device_vector(size_t n, const T& value) {
    take(n);
    thrust::fill(begin(), end(), value);
  }
  OPGRADE_INLINE device_vector(std::initializer_list<T> values) {
    assign(values.begin(), values.end());
  }
  template <class It, class = typename std::enable_if<opgrade::is_iterator<It>::value>::type>
  OPGRADE_INLINE device_vector(It first, It last) {
    assign(first, last);
  }
  OPGRADE_INLINE device_vector(const device_vector& other) { assign(other.begin(), other.end()); }
  device_vector(device_vector&& other) noexcept { swap(other); }
  template <class U>
  OPGRADE_INLINE device_vector(const device_vector<U>& other) {
    assign(other.begin(), other.end());
  }
  template <class U>
  OPGRADE_INLINE device_vector(const host_vector<U>& other) {
    assign(other.begin(), other.end());
  }
  template <class U, class A>
  OPGRADE_INLINE device_vector(const std::vector<U, A>& other) {
    assign(other.begin(), other.end());
  }
  OPGRADE_INLINE ~device_vector() { drop(); }
  OPGRADE_INLINE device_vector& operator=(const device_vector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  device_vector& operator=(device_vector&& other) noexcept {
    swap(other);
    return *this;
  }
  template <class Vector, class = decltype(std::declval<const Vector&>().begin())>
  OPGRADE_INLINE device_vector& operator=(const Vector& other) {
    assign(other.begin(), other.end());
    return *this;
  }

  template <class It, class = typename std::enable_if<opgrade::is_iterator<It>::value>::type>
  OPGRADE_INLINE void assign(It first, It last) {
    const size_t n = (size_t)std::distance(first, last);
    if (n > capacity_) {
      drop();
      take(n);
    }
    size_ = n;
    if (n > 0) thrust::copy(first, last, begin());
  }
  OPGRADE_INLINE void assign(size_t n, const T& value) {
    resize(n);
    thrust::fill(begin(), end(), value);
  }
  iterator begin() { return iterator(all_); }
  iterator end() { return iterator(all_ + size_); }
  const_iterator begin() const { return const_iterator(all_); }
  const_iterator end() const { return const_iterator(all_ + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  thrust::reverse_iterator<iterator> rbegin() { return make_reverse_iterator(end()); }
  thrust::reverse_iterator<iterator> rend() { return make_reverse_iterator(begin()); }
  pointer data() { return pointer(all_); }
  const_pointer data() const { return const_pointer(all_); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  reference operator[](size_t i) { return *(begin() + (ptrdiff_t)i); }
  const_reference operator[](size_t i) const { return *(begin() + (ptrdiff_t)i); }
  reference front() { return *begin(); }
  const_reference front() const { return *begin(); }
  reference back() { return *(end() - 1); }
  const_reference back() const { return *(end() - 1); }
  OPGRADE_INLINE void resize(size_t n) { resize(n, T()); }
  OPGRADE_INLINE void resize(size_t n, const T& value) {
    const size_t before = size_;
    if (n > capacity_) reserve(n > 2 * capacity_ ? n : 2 * capacity_);
    size_ = n;
    if (n > before) thrust::fill(begin() + (ptrdiff_t)before, end(), value);
  }
  OPGRADE_INLINE void reserve(size_t n) {
    if (n <= capacity_) return;
    T* const old = all_;
    const size_t size = size_;
    take(n);
    size_ = size;
    if (size > 0) thrust::copy(device_ptr<T>(old), device_ptr<T>(old) + (ptrdiff_t)size, begin());
    if (old != nullptr) cudaFree(old);
  }
  void shrink_to_fit() {}
  void clear() { size_ = 0; }
  OPGRADE_INLINE void push_back(const T& value) { resize(size_ + 1, value); }
  void pop_back() { --size_; }
  OPGRADE_INLINE iterator erase(iterator first, iterator last) {
    const device_vector behind(last, end());
    thrust::copy(behind.begin(), behind.end(), first);
    size_ -= (size_t)(last - first);
    return first;
  }
  OPGRADE_INLINE iterator erase(iterator place) { return erase(place, place + 1); }
  template <class It, class = typename std::enable_if<opgrade::is_iterator<It>::value>::type>
  OPGRADE_INLINE void insert(iterator place, It first, It last) {
    const ptrdiff_t at = place - begin();
    const device_vector fresh(first, last), behind(place, end());
    resize(size_ + fresh.size_);
    thrust::copy(behind.begin(), behind.end(),
                 thrust::copy(fresh.begin(), fresh.end(), begin() + at));
  }
  OPGRADE_INLINE void insert(iterator place, size_t n, const T& value) {
    const device_vector fresh(n, value);
    insert(place, fresh.begin(), fresh.end());
  }
  OPGRADE_INLINE iterator insert(iterator place, const T& value) {
    const ptrdiff_t at = place - begin();
    insert(place, 1, value);
    return begin() + at;
  }
  void swap(device_vector& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(all_, other.all_);
  }
  OPGRADE_INLINE bool operator==(const device_vector& other) const {
    return size_ == other.size_ && thrust::equal(begin(), end(), other.begin());
  }
  OPGRADE_INLINE bool operator!=(const device_vector& other) const { return !(*this == other); }

 private:
  OPGRADE_INLINE void take(size_t n) {
    all_ = nullptr;
    if (n > 0) opgrade::throw_on(cudaMalloc(&all_, n * sizeof(T)));
    size_ = capacity_ = n;
  }
  OPGRADE_INLINE void drop() {
    if (all_ != nullptr) cudaFree(all_);
    all_ = nullptr;
    size_ = capacity_ = 0;
  }
  size_t size_ = 0, capacity_ = 0;
  T* all_ = nullptr;
};

}  // namespace thrust
