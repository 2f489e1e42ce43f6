/// The kernels' source, compiled once per instruction set: include it in one file per set, after
/// defining OPGRADE_KERNELS (the table's name) and OPGRADE_VECTOR_BYTES and OPGRADE_REGISTERS.
//
// How it works: a block of outputs, `maps` times `vectors` wide, stays in registers while one loop
// runs over all taps (c, p, q). Each tap loads every vector of x once and every map's weight once
// and feeds maps*vectors multiply-adds. So loads, even those across a cache line, stay below the
// rate of the load units. The multiply-add units are the bound.
//
// Everything here has internal linkage. The linker could keep a shared function in the version that
// needs the wider instruction set.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "reference/conv_kernels.hpp"

namespace opgrade::conv_kernels {
namespace {

template <class T>
struct Lanes {
  static constexpr int kCount = OPGRADE_VECTOR_BYTES / static_cast<int>(sizeof(T));
  typedef T Vector __attribute__((vector_size(OPGRADE_VECTOR_BYTES)));
  typedef T Unaligned
      __attribute__((vector_size(OPGRADE_VECTOR_BYTES), aligned(alignof(T)), may_alias));
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

/// copy_shifted in chunks of kBytes, for rows of at most kChunks of them (0: of any number).
template <class T, int kBytes, int kChunks>
void copy_chunks(const T* from, std::ptrdiff_t from_pitch, const T* from_end, T* to,
                 std::ptrdiff_t to_pitch, const T* to_end, std::ptrdiff_t rows,
                 std::ptrdiff_t width, std::ptrdiff_t copies, std::ptrdiff_t to_step) {
  typedef T Chunk __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  constexpr std::ptrdiff_t kCount = kBytes / static_cast<int>(sizeof(T));
  const std::ptrdiff_t chunks = kChunks > 0 ? kChunks : (width + kCount - 1) / kCount;
  const std::ptrdiff_t last = copies - 1;
  // The last rows may end too near the arrays' ends for a whole chunk.
  std::ptrdiff_t whole = rows;
  while (whole > 0 && (from_end - (from + (whole - 1) * from_pitch + last) < chunks * kCount ||
                       to_end - (to + (whole - 1) * to_pitch + last * to_step) < chunks * kCount))
    --whole;
  std::ptrdiff_t row = 0;
  for (; row < whole; ++row, from += from_pitch, to += to_pitch) {
    T* copy = to;
    for (std::ptrdiff_t i = 0; i < copies; ++i, copy += to_step)
      for (std::ptrdiff_t j = 0; j < chunks * kCount; j += kCount)
        *reinterpret_cast<Chunk*>(copy + j) = *reinterpret_cast<const Chunk*>(from + i + j);
  }
  for (; row < rows; ++row, from += from_pitch, to += to_pitch)
    for (std::ptrdiff_t i = 0; i < copies; ++i)
      std::memcpy(to + i * to_step, from + i, static_cast<std::size_t>(width) * sizeof(T));
}

/// Narrow rows take narrow chunks: these cross fewer cache lines.
template <class T>
void copy_shifted(const T* from, std::ptrdiff_t from_pitch, const T* from_end, T* to,
                  std::ptrdiff_t to_pitch, const T* to_end, std::ptrdiff_t rows,
                  std::ptrdiff_t width, std::ptrdiff_t copies, std::ptrdiff_t to_step) {
  const std::ptrdiff_t bytes = width * static_cast<std::ptrdiff_t>(sizeof(T));
  constexpr int kMost = OPGRADE_VECTOR_BYTES;
  const auto copy = bytes <= 16 && kMost >= 16 ? copy_chunks<T, 16, 1>
                                               : bytes <= 32 && kMost >= 32 ? copy_chunks < T,
             kMost >= 32 ? 32 : kMost,
             1 >
      : bytes <= kMost   ? copy_chunks<T, kMost, 1>
    : bytes <= 2 * kMost ? copy_chunks<T, kMost, 2>
                         : copy_chunks<T, kMost, 0>;
  copy(from, from_pitch, from_end, to, to_pitch, to_end, rows, width, copies, to_step);
}

template <class T>
void copy_rows(const T* from, std::ptrdiff_t from_pitch, const T* from_end, T* to,
               std::ptrdiff_t to_pitch, const T* to_end, std::ptrdiff_t rows,
               std::ptrdiff_t width) {
  copy_shifted(from, from_pitch, from_end, to, to_pitch, to_end, rows, width, 1, 0);
}

template <class T>
void widen(const float* from, std::ptrdiff_t n, T* to) {
  for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = from[i];
}

/// GCC has no portable way to ask for a store past the caches, so this alone is written per set.
inline void stream_line(const void* from, void* to) {
#if OPGRADE_VECTOR_BYTES == 64
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif OPGRADE_VECTOR_BYTES == 32
  _mm256_stream_si256(static_cast<__m256i*>(to),
                      _mm256_loadu_si256(static_cast<const __m256i*>(from)));
#elif defined(__x86_64__)
  _mm_stream_si128(static_cast<__m128i*>(to), _mm_loadu_si128(static_cast<const __m128i*>(from)));
#else
  std::memcpy(to, from, OPGRADE_VECTOR_BYTES);
#endif
}

template <class T>
void stream(const T* from, std::ptrdiff_t n, T* to) {
  constexpr std::ptrdiff_t kCount = Lanes<T>::kCount;
  while (n > 0 && reinterpret_cast<std::uintptr_t>(to) % OPGRADE_VECTOR_BYTES != 0) {
    *to++ = *from++;
    --n;
  }
  for (; n >= kCount; n -= kCount, from += kCount, to += kCount) stream_line(from, to);
  for (; n > 0; --n) *to++ = *from++;
}

inline void stream_end() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// Sums, one tap's vectors of x and a weight must fit the registers together; beyond 8 vectors
/// nothing is gained.
constexpr int vectors_that_fit(int maps) {
  const int fit = (OPGRADE_REGISTERS - 1) / (maps + 1);
  return fit < 1 ? 1 : fit > kMaxVectors ? kMaxVectors : fit;
}

/// With 16 registers, eight maps leave room for one vector only: then loading bounds the kernel.
constexpr int kBestMaps = OPGRADE_REGISTERS < 32 ? 6 : kMaxMaps;

template <class T, int kMaps, int... kVectorsLess1>
void fill_row(Kernels<T>& kernels, std::integer_sequence<int, kVectorsLess1...>) {
  kernels.max_vectors[kMaps] = vectors_that_fit(kMaps);
  ((kernels.block[kMaps][kVectorsLess1 + 1] = &block<T, kMaps, kVectorsLess1 + 1>), ...);
}

template <class T, int... kMapsLess1>
Kernels<T> fill(std::integer_sequence<int, kMapsLess1...>) {
  Kernels<T> kernels{};
  kernels.lanes = Lanes<T>::kCount;
  kernels.best_maps = kBestMaps;
  (fill_row<T, kMapsLess1 + 1>(kernels,
                               std::make_integer_sequence<int, vectors_that_fit(kMapsLess1 + 1)>{}),
   ...);
  kernels.copy_rows = &copy_rows<T>;
  kernels.copy_shifted = &copy_shifted<T>;
  kernels.widen = &widen<T>;
  kernels.stream = &stream<T>;
  kernels.stream_end = &stream_end;
  return kernels;
}

}  // namespace

const KernelSet& OPGRADE_KERNELS() {
  static const KernelSet set{fill<float>(std::make_integer_sequence<int, kMaxMaps>{}),
                             fill<double>(std::make_integer_sequence<int, kMaxMaps>{})};
  return set;
}

}  // namespace opgrade::conv_kernels
