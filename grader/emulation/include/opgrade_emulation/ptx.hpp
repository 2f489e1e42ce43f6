// The PTX instructions that the translator knows in inline assembly: asynchronous copies, and
// matrix products of a warp with their loads. Layouts of fragments: PTX ISA, "Matrix Fragments for
// mma.m16n8k*".
#pragma once

#include "async_copy.hpp"
#include "kernel.hpp"
#include "narrow_formats.hpp"
#include "synchronize.hpp"

namespace opgrade_emulation {

void warp_collective(void (*perform)(void** lanes), void* mine);

namespace ptx {

/// Converts the 32-bit address of shared memory that __cvta_generic_to_shared returns.
template <class Address>
OPGRADE_INLINE char* shared_address(Address address) {
  return shared_memory + (unsigned)(size_t)address;
}

/// Sets the bytes beyond `used` to zero.
template <class To, class From>
OPGRADE_INLINE void cp_async(To to, From from, int bytes, int used = 16) {
  copy_async((void*)shared_address(to), (const void*)from, (size_t)bytes, (size_t)used);
}
OPGRADE_INLINE void cp_async_commit() { commit_copies(); }
OPGRADE_INLINE void cp_async_wait(int most_left) { await_copies((size_t)most_left); }
OPGRADE_INLINE void cp_async_wait_all() { await_all_copies(); }

template <class Register>
OPGRADE_INLINE void set(Register& to, unsigned bits) {
  static_assert(sizeof(Register) == 4, "the operand is a 32-bit register");
  __builtin_memcpy((void*)&to, &bits, 4);
}

/// Rounds to nearest, ties away from zero.
template <class Register>
OPGRADE_INLINE void to_tf32(Register& to, float v) {
  const unsigned bits = float_bits(v);
  set(to, (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0x1000u) & 0xffffe000u);
}

/// Rows of 8 elements of 16 bits: lane i supplies row i % 8 of matrix i / 8.
struct MatrixRows {
  unsigned short row[8];
  unsigned out[4];
  bool transposed;

  OPGRADE_UNCHECKED static void perform(void** lanes) {  // reads what other lanes hold
    for (unsigned lane = 0; lane < 32; ++lane) {
      auto* own = (MatrixRows*)lanes[lane];
      if (own == nullptr) continue;
      const unsigned far = lane / 4, near = lane % 4 * 2;
      for (unsigned i = 0; i < 4; ++i) {
        unsigned pair[2] = {};
        for (unsigned e = 0; e < 2; ++e) {
          const unsigned r = own->transposed ? near + e : far;
          const unsigned c = own->transposed ? far : near + e;
          const auto* from = (const MatrixRows*)lanes[i * 8 + r];
          if (from != nullptr) pair[e] = from->row[c];
        }
        own->out[i] = pair[0] | pair[1] << 16;
      }
    }
  }
};

template <class Address>
OPGRADE_INLINE MatrixRows matrices(Address address, unsigned count, bool transposed) {
  MatrixRows mine{};
  mine.transposed = transposed;
  if (lane_id() < count * 8) {
    const auto* row = (const unsigned*)(const void*)shared_address(address);
    for (int i = 0; i < 4; ++i) {
      const unsigned two = row[i];
      mine.row[2 * i] = (unsigned short)two;
      mine.row[2 * i + 1] = (unsigned short)(two >> 16);
    }
  }
  warp_collective(&MatrixRows::perform, &mine);
  return mine;
}

#define OPGRADE_LOAD_MATRICES(name, transposed)                                 \
  template <class R, class Address>                                             \
  OPGRADE_INLINE void name(R& r0, Address address) {                            \
    set(r0, matrices(address, 1, transposed).out[0]);                           \
  }                                                                             \
  template <class R, class Address>                                             \
  OPGRADE_INLINE void name(R& r0, R& r1, Address address) {                     \
    const MatrixRows m = matrices(address, 2, transposed);                      \
    set(r0, m.out[0]), set(r1, m.out[1]);                                       \
  }                                                                             \
  template <class R, class Address>                                             \
  OPGRADE_INLINE void name(R& r0, R& r1, R& r2, R& r3, Address address) {       \
    const MatrixRows m = matrices(address, 4, transposed);                      \
    set(r0, m.out[0]), set(r1, m.out[1]), set(r2, m.out[2]), set(r3, m.out[3]); \
  }
OPGRADE_LOAD_MATRICES(load_matrices, false)
OPGRADE_LOAD_MATRICES(load_transposed, true)
#undef OPGRADE_LOAD_MATRICES

struct Tf32 {
  static constexpr int per_register = 1;
  // The tensor core ignores the last 13 bits.
  static float value(unsigned bits, int) { return bits_float(bits & 0xffffe000u); }
};
struct Half {
  static constexpr int per_register = 2;
  static float value(unsigned bits, int i) {
    return HalfFormat::to((unsigned short)(bits >> 16 * i));
  }
};
struct Bfloat {
  static constexpr int per_register = 2;
  static float value(unsigned bits, int i) {
    return BfloatFormat::to((unsigned short)(bits >> 16 * i));
  }
};

/// One lane's part of D = A B + C with M = 16 and N = 8; products are exact, sums in the order of
/// k.
template <class T, int k>
struct Mma {
  static constexpr int p = T::per_register;
  static constexpr int b_registers = k / (4 * p), a_registers = 2 * b_registers;
  unsigned a[a_registers], b[b_registers];
  float c[4];

  OPGRADE_UNCHECKED static void perform(void** lanes) {  // reads what other lanes hold
    float left[16][k] = {}, right[k][8] = {};
    for (int lane = 0; lane < 32; ++lane) {
      const auto* own = (const Mma*)lanes[lane];
      if (own == nullptr) continue;
      const int group = lane / 4, first = lane % 4 * p;
      for (int e = 0; e < p; ++e) {
        for (int r = 0; r < a_registers; ++r)
          left[group + r % 2 * 8][first + r / 2 * 4 * p + e] = T::value(own->a[r], e);
        for (int r = 0; r < b_registers; ++r)
          right[first + r * 4 * p + e][group] = T::value(own->b[r], e);
      }
    }
    for (int lane = 0; lane < 32; ++lane) {
      auto* own = (Mma*)lanes[lane];
      if (own == nullptr) continue;
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        for (int j = 0; j < k; ++j) own->c[i] += left[row][j] * right[j][column];
      }
    }
  }
};

#define OPGRADE_D float &d0, float &d1, float &d2, float &d3
#define OPGRADE_C float c0, float c1, float c2, float c3
#define OPGRADE_RUN(T, k, ...)                   \
  Mma<T, k> mine{__VA_ARGS__, {c0, c1, c2, c3}}; \
  warp_collective(&Mma<T, k>::perform, &mine);   \
  d0 = mine.c[0], d1 = mine.c[1], d2 = mine.c[2], d3 = mine.c[3]
using R = unsigned;

OPGRADE_INLINE void mma_m16n8k4_tf32(OPGRADE_D, R a0, R a1, R b0, OPGRADE_C) {
  OPGRADE_RUN(Tf32, 4, {a0, a1}, {b0});
}
OPGRADE_INLINE void mma_m16n8k8_tf32(OPGRADE_D, R a0, R a1, R a2, R a3, R b0, R b1, OPGRADE_C) {
  OPGRADE_RUN(Tf32, 8, {a0, a1, a2, a3}, {b0, b1});
}
OPGRADE_INLINE void mma_m16n8k8_f16(OPGRADE_D, R a0, R a1, R b0, OPGRADE_C) {
  OPGRADE_RUN(Half, 8, {a0, a1}, {b0});
}
OPGRADE_INLINE void mma_m16n8k16_f16(OPGRADE_D, R a0, R a1, R a2, R a3, R b0, R b1, OPGRADE_C) {
  OPGRADE_RUN(Half, 16, {a0, a1, a2, a3}, {b0, b1});
}
OPGRADE_INLINE void mma_m16n8k16_bf16(OPGRADE_D, R a0, R a1, R a2, R a3, R b0, R b1, OPGRADE_C) {
  OPGRADE_RUN(Bfloat, 16, {a0, a1, a2, a3}, {b0, b1});
}
/// C and D of half: two numbers in a register, the sum rounded once.
template <class D>
OPGRADE_INLINE void mma_m16n8k16_half(D& r0, D& r1, R a0, R a1, R a2, R a3, R b0, R b1, R s0,
                                      R s1) {
  float d0, d1, d2, d3;
  mma_m16n8k16_f16(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1, Half::value(s0, 0), Half::value(s0, 1),
                   Half::value(s1, 0), Half::value(s1, 1));
  set(r0, HalfFormat::from(d0) | (unsigned)HalfFormat::from(d1) << 16);
  set(r1, HalfFormat::from(d2) | (unsigned)HalfFormat::from(d3) << 16);
}
#undef OPGRADE_D
#undef OPGRADE_C
#undef OPGRADE_RUN

}  // namespace ptx
}  // namespace opgrade_emulation
