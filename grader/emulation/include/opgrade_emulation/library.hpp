// Device-wide algorithms of CUB and Thrust. Each call launches one thread, whose accesses are
// checked like those of any kernel; its findings name the line of the submission's call.
#pragma once

// NVIDIA's headers of these libraries include this, so submissions call assert() without an
// include.
#include <cassert>
#include <type_traits>

#include "api.hpp"
#include "kernel.hpp"

// The last parameters of a device-wide function, which record the place of the submission's call.
#define OPGRADE_CALL_SITE \
  const char *opgrade_file = __builtin_FILE(), int opgrade_line = __builtin_LINE()

namespace opgrade_emulation {

/// The kernel that represents the calls of a library's function in this line.
Kernel& library_kernel(const char* name, const char* file, int line);
/// Like library_kernel(), for the place into which the library's function was inlined.
Kernel& library_kernel_here(const char* name);

template <class Body>
inline cudaError_t run_library(const char* name, const char* file, int line, cudaStream_t stream,
                               Body body) {
  Kernel& kernel = library_kernel(name, file, line);
  const Configuration configuration(file, line, 1, 1, 0, stream);
  if (kernel.begin()) kernel.run(body);
  return cudaPeekAtLastError();
}

/// Ends the kernel, because the submission uses a library in a way whose result is undefined.
[[noreturn]] void library_misused(const char* what);

/// Memory of the library for one call. Accesses to it are not the submission's, so the runtime,
/// which no check watches, copies it in and out.
class ScratchBytes {
 public:
  explicit ScratchBytes(size_t bytes);
  ~ScratchBytes();
  ScratchBytes(const ScratchBytes&) = delete;
  ScratchBytes& operator=(const ScratchBytes&) = delete;
  void read(void* to, size_t offset, size_t bytes) const;
  void write(size_t offset, const void* from, size_t bytes);

 private:
  char* memory_;
};

template <class T>
class Scratch {
 public:
  explicit Scratch(size_t size) : bytes_(size * sizeof(T)), size_(size) {}
  size_t size() const { return size_; }
  T get(size_t i) const {
    alignas(T) unsigned char value[sizeof(T)];
    bytes_.read(value, i * sizeof(T), sizeof(T));
    return *(T*)(void*)value;
  }
  void set(size_t i, const T& value) { bytes_.write(i * sizeof(T), &value, sizeof(T)); }

 private:
  ScratchBytes bytes_;
  size_t size_;
};

/// Sorts numbers and remembers the source of each. Equal numbers keep their order.
class NumberSort {
 public:
  explicit NumberSort(size_t size);
  ~NumberSort();
  NumberSort(const NumberSort&) = delete;
  NumberSort& operator=(const NumberSort&) = delete;
  void set(size_t i, unsigned long long number);
  void sort(bool descending);
  size_t source(size_t i) const;  ///< where the number that is now at i came from

 private:
  struct Item;
  Item* items_;
  size_t size_;
};

/// Sorts the sources 0, 1, ... by their values. Equal values keep their order.
template <class T, class Less>
inline void merge_sort(const Scratch<T>& values, Scratch<size_t>& order, Less less) {
  const size_t n = values.size();
  Scratch<size_t> merged(n);
  for (size_t i = 0; i < n; ++i) order.set(i, i);
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * width) {
      const size_t middle = begin + width < n ? begin + width : n;
      const size_t end = begin + 2 * width < n ? begin + 2 * width : n;
      size_t left = begin, right = middle;
      for (size_t i = begin; i < end; ++i) {
        bool takes_right = left == middle;
        if (left < middle && right < end)
          takes_right = less(values.get(order.get(right)), values.get(order.get(left)));
        merged.set(i, order.get(takes_right ? right++ : left++));
      }
    }
    for (size_t i = 0; i < n; ++i) order.set(i, merged.get(i));
  }
}

/// Reduces in order, as a tree of pairs, so that rounding errors stay as small as on a GPU. Calls
/// `get(i)` for begin <= i < end; the range must not be empty.
template <class T, class Get, class Op>
inline T reduce_range(Get get, Op op, size_t begin, size_t end) {
  if (end - begin > 32) {
    const size_t middle = begin + (end - begin) / 2;
    const T left = reduce_range<T>(get, op, begin, middle);
    return op(left, reduce_range<T>(get, op, middle, end));
  }
  T sum = get(begin);
  for (size_t i = begin + 1; i < end; ++i) sum = op(sum, get(i));
  return sum;
}

/// Calls `put(i, sum)` with the inclusive scan of `get(i)`, for i < n; if `has_before`, `before`
/// comes before all values. Partial sums of chunks keep rounding errors as small as on a GPU.
template <class T, class Get, class Op, class Put>
inline void scan_range(Get get, Op op, Put put, size_t n, bool has_before, T before) {
  constexpr size_t kChunk = 32, kTile = 1024;
  for (size_t tile = 0; tile < n; tile += kTile) {
    const size_t tile_end = tile + kTile < n ? tile + kTile : n;
    T of_tile = before;  // the sum of the tile's chunks so far
    for (size_t chunk = tile; chunk < tile_end; chunk += kChunk) {
      const size_t chunk_end = chunk + kChunk < tile_end ? chunk + kChunk : tile_end;
      T sum = get(chunk);
      for (size_t i = chunk;;) {
        T in_tile = chunk > tile ? (T)op(of_tile, sum) : sum;
        put(i, has_before ? (T)op(before, in_tile) : in_tile);
        if (++i == chunk_end) {
          of_tile = in_tile;
          break;
        }
        sum = op(sum, get(i));
      }
    }
    before = has_before ? (T)op(before, of_tile) : of_tile;
    has_before = true;
  }
}

/// The bits of a number, ordered like the numbers. Both zeros are equal.
template <class T>
inline unsigned long long ordered_bits(T value) {
  constexpr unsigned long long kSign = 1ull << (sizeof(T) * 8 - 1);
  constexpr unsigned long long kAll = sizeof(T) == 8 ? ~0ull : (1ull << sizeof(T) * 8 % 64) - 1;
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  if constexpr (std::is_integral<T>::value) {
    return std::is_signed<T>::value ? bits ^ kSign : bits;
  } else {  // floating point, narrow ones too
    if (bits == kSign) bits = 0;
    return (bits & kSign) != 0 ? ~bits & kAll : bits | kSign;
  }
}

/// Orders keys by their bits [begin, end). Keys with equal bits keep their order.
template <class K>
inline void sort_by_bits(const Scratch<K>& keys, Scratch<size_t>& order, int begin, int end,
                         bool descending) {
  const unsigned long long mask = end - begin >= 64 ? ~0ull : (1ull << (end - begin)) - 1;
  NumberSort numbers(keys.size());
  for (size_t i = 0; i < keys.size(); ++i)
    numbers.set(i, begin >= 64 ? 0 : ordered_bits(keys.get(i)) >> begin & mask);
  numbers.sort(descending);
  for (size_t i = 0; i < keys.size(); ++i) order.set(i, numbers.source(i));
}

}  // namespace opgrade_emulation
