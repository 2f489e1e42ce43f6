// malloc, free, new and delete in device functions, in the form that the translator writes.
#pragma once

#include "api.hpp"

namespace opgrade_emulation {

/// malloc and free of the device in a kernel, those of the C library on the host.
void* heap_malloc(size_t bytes);
void heap_free(void* pointer);

/// `new (DeviceHeap()) T` stands for `new T` in a device function.
struct DeviceHeap {};
void* heap_new(size_t bytes);
void heap_delete(void* pointer);

/// `HeapObject() = p` stands for `delete p`.
struct HeapObject {
  template <class T>
  OPGRADE_INLINE void operator=(T* object) const {
    if (object == nullptr) return;
    void* whole = object;
    if constexpr (__is_polymorphic(T)) whole = dynamic_cast<void*>(object);
    object->~T();
    heap_delete(whole);
  }
};
/// `HeapArray() = p` stands for `delete[] p`. If elements have destructors, their number is stored
/// before the first one (Itanium C++ ABI, array cookies).
struct HeapArray {
  template <class T>
  OPGRADE_INLINE void operator=(T* elements) const {
    if (elements == nullptr) return;
    if constexpr (__has_trivial_destructor(T)) {
      heap_delete((void*)elements);
    } else {
      size_t count = ((const size_t*)(const void*)elements)[-1];
      while (count > 0) elements[--count].~T();
      const size_t cookie = alignof(T) > sizeof(size_t) ? alignof(T) : sizeof(size_t);
      heap_delete((char*)(void*)elements - cookie);
    }
  }
};

}  // namespace opgrade_emulation

OPGRADE_INLINE void* operator new(size_t bytes, opgrade_emulation::DeviceHeap) {
  return opgrade_emulation::heap_new(bytes);
}
OPGRADE_INLINE void* operator new[](size_t bytes, opgrade_emulation::DeviceHeap) {
  return opgrade_emulation::heap_new(bytes);
}
inline void operator delete(void* pointer, opgrade_emulation::DeviceHeap) {
  opgrade_emulation::heap_delete(pointer);
}
inline void operator delete[](void* pointer, opgrade_emulation::DeviceHeap) {
  opgrade_emulation::heap_delete(pointer);
}
