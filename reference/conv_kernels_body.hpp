/// The kernels' source, compiled once per instruction set: include it in one file per set, after
/// defining OPGRADE_KERNELS (the table's name) and OPGRADE_VECTOR_BYTES and OPGRADE_REGISTERS.
//
// How it works: a block of outputs, `maps` times `vectors` wide, stays in registers while one loop
// runs over all taps (c, p, q). Each tap loads every vector of x once and every map's weight once
// and feeds maps*vectors multiply-adds, so that loads, even those across a cache line, stay below
// what the load units give, and the multiply-add units are the bound.
//
// Everything here has internal linkage: a function shared with another file could be kept by the
// linker in the version that needs the wider instruction set.
#include <cstddef>
#include <cstring>
#include <utility>

#include "reference/conv_kernels.hpp"

namespace opgrade::conv_kernels {
namespace {

template <class T>
struct Lanes {
  static constexpr int kCount = OPGRADE_VECTOR_BYTES / static_cast<int>(sizeof(T));
  typedef T Vector __attribute__((vector_size(OPGRADE_VECTOR_BYTES)));
  typedef T Unaligned __attribute__((vector_size(OPGRADE_VECTOR_BYTES), aligned(alignof(T)),
                                     may_alias));
};

template <class T, int kMaps, int kVectors>
void block(const T* x, const std::ptrdiff_t* x_position, const std::ptrdiff_t* tap,
           std::ptrdiff_t taps, const T* w, T* y, const std::ptrdiff_t* y_position,
           std::ptrdiff_t y_plane) {
  using Vector = typename Lanes<T>::Vector;
  using Unaligned = typename Lanes<T>::Unaligned;
  const T* from[kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) from[v] = x + x_position[v];

  // Every loop over these arrays is unrolled by request: one that is not would keep them in memory.
  Vector sum[kMaps][kVectors];
#pragma GCC unroll 16
  for (int m = 0; m < kMaps; ++m)
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) sum[m][v] = Vector{};
  for (std::ptrdiff_t t = 0; t < taps; ++t) {
    const std::ptrdiff_t offset = tap[t];
    Vector in[kVectors];
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v)
      in[v] = *reinterpret_cast<const Unaligned*>(from[v] + offset);
#pragma GCC unroll 16
    for (int m = 0; m < kMaps; ++m) {
      const Vector weight = w[m] - Vector{};
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) sum[m][v] += in[v] * weight;
    }
    w += kMaps;
  }
#pragma GCC unroll 16
  for (int m = 0; m < kMaps; ++m)
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v)
      *reinterpret_cast<Unaligned*>(y + m * y_plane + y_position[v]) = sum[m][v];
}

template <class T>
void copy_rows(const T* from, std::ptrdiff_t from_pitch, const T* from_end, T* to,
               std::ptrdiff_t to_pitch, const T* to_end, std::ptrdiff_t rows,
               std::ptrdiff_t width) {
  using Unaligned = typename Lanes<T>::Unaligned;
  constexpr std::ptrdiff_t kCount = Lanes<T>::kCount;
  for (std::ptrdiff_t row = 0; row < rows; ++row, from += from_pitch, to += to_pitch) {
    if (from_end - from >= kCount && to_end - to >= kCount) {
      *reinterpret_cast<Unaligned*>(to) = *reinterpret_cast<const Unaligned*>(from);
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(width) * sizeof(T));
    }
  }
}

template <class T>
void widen(const float* from, std::ptrdiff_t n, T* to) {
  for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = from[i];
}

/// Sums, one tap's vectors of x and a weight must fit the registers together; beyond 8 vectors
/// nothing is gained.
constexpr int vectors_that_fit(int maps) {
  const int fit = (OPGRADE_REGISTERS - 1) / (maps + 1);
  return fit < 1 ? 1 : fit > kMaxVectors ? kMaxVectors : fit;
}

template <class T, int kMaps, int... kVectorsLess1>
void fill_row(Kernels<T>& kernels, std::integer_sequence<int, kVectorsLess1...>) {
  kernels.max_vectors[kMaps] = vectors_that_fit(kMaps);
  ((kernels.block[kMaps][kVectorsLess1 + 1] = &block<T, kMaps, kVectorsLess1 + 1>), ...);
}

template <class T, int... kMapsLess1>
Kernels<T> fill(std::integer_sequence<int, kMapsLess1...>) {
  Kernels<T> kernels{};
  kernels.lanes = Lanes<T>::kCount;
  (fill_row<T, kMapsLess1 + 1>(
       kernels, std::make_integer_sequence<int, vectors_that_fit(kMapsLess1 + 1)>{}),
   ...);
  kernels.copy_rows = &copy_rows<T>;
  kernels.widen = &widen<T>;
  return kernels;
}

}  // namespace

const KernelSet& OPGRADE_KERNELS() {
  static const KernelSet set{fill<float>(std::make_integer_sequence<int, kMaxMaps>{}),
                             fill<double>(std::make_integer_sequence<int, kMaxMaps>{})};
  return set;
}

}  // namespace opgrade::conv_kernels
