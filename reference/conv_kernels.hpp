/// The inner kernels of the fast CPU convolution: one table of functions per instruction set.
#pragma once

#include <cstddef>
#include <type_traits>

#include "reference/isa.hpp"

namespace opgrade::conv_kernels {

/// The most maps and vectors that one call of a kernel computes together.
inline constexpr int kMaxMaps = 8;
inline constexpr int kMaxVectors = 8;

/// Computes `vectors` vectors of outputs for each of `maps` maps (both fixed in the function):
///
///   y[y_position[v] + m*y_plane + i] = sum over t of x[x_position[v] + tap[t] + i] * w[t*maps + m]
///
/// for 0 <= i < lanes, summed in the order of t from zero. Reads and writes whole vectors, at any
/// alignment. All positions count elements.
template <class T>
using BlockKernel = void (*)(const T* x, const std::ptrdiff_t* x_position,
                             const std::ptrdiff_t* tap, std::ptrdiff_t taps, const T* w, T* y,
                             const std::ptrdiff_t* y_position, std::ptrdiff_t y_plane);

/// Copies `rows` rows of `width` elements, from a pitch of `from_pitch` to one of `to_pitch`
/// elements, in rising order and by whole vectors. Less than a vector after each row in `to` is
/// overwritten too, but nothing from `to_end` on. Nothing from `from_end` on is read.
template <class T>
using CopyRows = void (*)(const T* from, std::ptrdiff_t from_pitch, const T* from_end, T* to,
                          std::ptrdiff_t to_pitch, const T* to_end, std::ptrdiff_t rows,
                          std::ptrdiff_t width);

/// copy_rows for `copies` shifted copies at once: copy i starts at from + i and goes to
/// to + i*to_step, in no particular order between copies.
template <class T>
using CopyShifted = void (*)(const T* from, std::ptrdiff_t from_pitch, const T* from_end, T* to,
                             std::ptrdiff_t to_pitch, const T* to_end, std::ptrdiff_t rows,
                             std::ptrdiff_t width, std::ptrdiff_t copies, std::ptrdiff_t to_step);

template <class T>
struct Kernels {
  int lanes;                      ///< elements in a vector
  int best_maps;                  ///< the most maps that one block should compute
  int max_vectors[kMaxMaps + 1];  ///< by maps; what the registers hold
  BlockKernel<T> block[kMaxMaps + 1][kMaxVectors + 1];  ///< [maps][vectors], null beyond max
  CopyRows<T> copy_rows;
  CopyShifted<T> copy_shifted;
  void (*widen)(const float* from, std::ptrdiff_t n, T* to);  ///< float to T, element by element

  /// Copies past the caches where the machine can: for results that are not read soon. The copy is
  /// in order with other threads' reads only after stream_end() on the copying thread.
  void (*stream)(const T* from, std::ptrdiff_t n, T* to);
  void (*stream_end)();
};

struct KernelSet {
  Kernels<float> single;
  Kernels<double> twice;
};

const KernelSet& baseline();
const KernelSet& avx2();
const KernelSet& avx512();

/// The table for `isa`, which must be an available one.
const KernelSet& kernels_for(Isa isa);

/// The part of that table for one type.
template <class T>
const Kernels<T>& of(Isa isa) {
  if constexpr (std::is_same_v<T, float>) {
    return kernels_for(isa).single;
  } else {
    return kernels_for(isa).twice;
  }
}

}  // namespace opgrade::conv_kernels
