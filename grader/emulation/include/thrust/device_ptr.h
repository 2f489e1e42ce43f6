// Stands in for Thrust's pointers and references to device memory.
#pragma once
#pragma GCC system_header

#include <ostream>

#include "detail/system.h"

namespace thrust {

template <class T>
class device_reference;

template <class T>
class device_ptr {
 public:
  using element_type = T;
  using value_type = typename std::remove_cv<T>::type;
  using reference = device_reference<T>;
  using pointer = device_ptr;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  using opgrade_system = device_system_tag;
  using raw_pointer = T*;

  device_ptr() = default;
  device_ptr(std::nullptr_t) {}
  explicit device_ptr(T* pointer) : pointer_(pointer) {}
  template <class U, class = typename std::enable_if<std::is_convertible<U*, T*>::value>::type>
  device_ptr(const device_ptr<U>& other) : pointer_(other.get()) {}

  T* get() const { return pointer_; }
  device_reference<T> operator*() const { return device_reference<T>(*this); }
  device_reference<T> operator[](ptrdiff_t i) const { return *(*this + i); }
  explicit operator bool() const { return pointer_ != nullptr; }

  device_ptr operator+(ptrdiff_t n) const { return device_ptr(pointer_ + n); }
  device_ptr operator-(ptrdiff_t n) const { return device_ptr(pointer_ - n); }
  friend device_ptr operator+(ptrdiff_t n, const device_ptr& p) { return p + n; }
  template <class U>
  ptrdiff_t operator-(const device_ptr<U>& other) const {
    return pointer_ - other.get();
  }
  device_ptr& operator+=(ptrdiff_t n) { return pointer_ += n, *this; }
  device_ptr& operator-=(ptrdiff_t n) { return pointer_ -= n, *this; }
  device_ptr& operator++() { return ++pointer_, *this; }
  device_ptr& operator--() { return --pointer_, *this; }
  device_ptr operator++(int) { return device_ptr(pointer_++); }
  device_ptr operator--(int) { return device_ptr(pointer_--); }

 private:
  T* pointer_ = nullptr;
};

#define OPGRADE_COMPARISON(sign)                                              \
  template <class A, class B>                                                 \
  inline bool operator sign(const device_ptr<A>& a, const device_ptr<B>& b) { \
    return a.get() sign b.get();                                              \
  }
OPGRADE_COMPARISON(==)
OPGRADE_COMPARISON(!=)
OPGRADE_COMPARISON(<)
OPGRADE_COMPARISON(<=)
OPGRADE_COMPARISON(>)
OPGRADE_COMPARISON(>=)
#undef OPGRADE_COMPARISON

/// A reference to device memory; the host reads and writes the element by copies.
template <class T>
class device_reference {
 public:
  using value_type = typename std::remove_cv<T>::type;
  using pointer = device_ptr<T>;

  explicit device_reference(const device_ptr<T>& place) : place_(place.get()) {}
  device_reference(const device_reference&) = default;
  template <class U, class = typename std::enable_if<std::is_convertible<U*, T*>::value>::type>
  device_reference(const device_reference<U>& other) : place_((&other).get()) {}

  device_ptr<T> operator&() const { return device_ptr<T>(place_); }
  OPGRADE_INLINE operator value_type() const {
    if (opgrade_emulation::on_device()) return *place_;
    alignas(T) unsigned char value[sizeof(T)];
    opgrade::throw_on(cudaMemcpy(value, place_, sizeof(T), cudaMemcpyDeviceToHost));
    return *(value_type*)(void*)value;
  }
  OPGRADE_INLINE const device_reference& operator=(const value_type& value) const {
    if (opgrade_emulation::on_device())
      *place_ = value;
    else
      opgrade::throw_on(cudaMemcpy(place_, &value, sizeof(T), cudaMemcpyHostToDevice));
    return *this;
  }
  OPGRADE_INLINE const device_reference& operator=(const device_reference& other) const {
    return *this = (value_type)other;
  }
  template <class U>
  OPGRADE_INLINE const device_reference& operator=(const device_reference<U>& other) const {
    return *this = (value_type)(typename device_reference<U>::value_type)other;
  }
#define OPGRADE_UPDATE(sign)                                                           \
  OPGRADE_INLINE const device_reference& operator sign##=(const value_type& v) const { \
    return *this = (value_type)((value_type) * this sign v);                           \
  }
  OPGRADE_UPDATE(+)
  OPGRADE_UPDATE(-)
  OPGRADE_UPDATE(*)
  OPGRADE_UPDATE(/)
  OPGRADE_UPDATE(%)
  OPGRADE_UPDATE(&)
  OPGRADE_UPDATE(|)
  OPGRADE_UPDATE(^)
#undef OPGRADE_UPDATE
  OPGRADE_INLINE const device_reference& operator++() const { return *this += value_type(1); }
  OPGRADE_INLINE const device_reference& operator--() const { return *this -= value_type(1); }
  OPGRADE_INLINE value_type operator++(int) const {
    const value_type before = *this;
    *this += value_type(1);
    return before;
  }
  friend std::ostream& operator<<(std::ostream& out, const device_reference& r) {
    return out << (value_type)r;
  }

 private:
  T* place_;
};

template <class T>
inline void swap(const device_reference<T>& a, const device_reference<T>& b) {
  const typename device_reference<T>::value_type value = a;
  a = b;
  b = value;
}

template <class T>
inline device_ptr<T> device_pointer_cast(T* pointer) {
  return device_ptr<T>(pointer);
}
template <class T>
inline device_ptr<T> device_pointer_cast(const device_ptr<T>& pointer) {
  return pointer;
}
template <class T>
inline T* raw_pointer_cast(const device_ptr<T>& pointer) {
  return pointer.get();
}
template <class T>
inline T* raw_pointer_cast(T* pointer) {
  return pointer;
}
template <class T>
inline T& raw_reference_cast(const device_reference<T>& reference) {
  return *(&reference).get();
}
template <class T>
inline T& raw_reference_cast(T& reference) {
  return reference;
}

template <class T>
OPGRADE_INLINE device_ptr<T> device_malloc(size_t n) {
  T* memory = nullptr;
  opgrade::throw_on(cudaMalloc(&memory, n * sizeof(T)));
  return device_ptr<T>(memory);
}
template <class T>
OPGRADE_INLINE void device_free(const device_ptr<T>& pointer) {
  opgrade::throw_on(cudaFree((void*)pointer.get()));
}

namespace opgrade {
template <class T>
struct Raw<device_ptr<T>> {
  static OPGRADE_INLINE T* of(const device_ptr<T>& pointer) { return pointer.get(); }
};
}  // namespace opgrade

}  // namespace thrust
