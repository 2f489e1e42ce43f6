// Stands in for CUDA's mma.h: warp-wide matrix products, computed by the last lane that arrives.
#pragma once
#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "opgrade_emulation/synchronize.hpp"

namespace opgrade_emulation {
/// Waits for all lanes of the warp; the last one calls `perform` with every lane's pointer.
void warp_collective(void (*perform)(void** lanes), void* mine);
}  // namespace opgrade_emulation

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

namespace detail {

template <class T>
struct Element {
  using type = T;
  static float to_float(T v) { return (float)v; }
};
template <>
struct Element<precision::tf32> {
  using type = float;
  // The tensor core ignores the last 13 bits.
  static float to_float(float v) {
    return opgrade_emulation::bits_float(opgrade_emulation::float_bits(v) & 0xffffe000u);
  }
};

template <class T>
constexpr bool known(int m, int n, int k) {
  if (__is_same(T, double)) return m == 8 && n == 8 && k == 4;
  if (m == 16 && n == 16 && k == 8) return __is_same(T, float) || __is_same(T, precision::tf32);
  return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)) &&
         (__is_same(T, __half) || __is_same(T, __nv_bfloat16) || __is_same(T, signed char) ||
          __is_same(T, char) || __is_same(T, unsigned char) || __is_same(T, int) ||
          __is_same(T, float));
}

/// The hardware stores 16-bit a and b of these shapes twice, so loops written for 16 elements stay
/// right.
template <class T, class Use>
inline constexpr int copies =
    !__is_same(Use, accumulator) && (__is_same(T, __half) || __is_same(T, __nv_bfloat16)) ? 2 : 1;

}  // namespace detail

/// detail::place() defines which elements a lane holds.
template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  static_assert(detail::known<T>(m, n, k), "this fragment's shape and type do not go together");

 public:
  using element_type = typename detail::Element<T>::type;
  using storage_element_type = element_type;
  using opgrade_type = T;
  using opgrade_layout = Layout;
  static constexpr int opgrade_rows = __is_same(Use, matrix_b) ? k : m;
  static constexpr int opgrade_columns = __is_same(Use, matrix_a) ? k : n;
  static constexpr bool opgrade_by_columns = __is_same(Use, matrix_b);
  static constexpr int opgrade_own = opgrade_rows * opgrade_columns / 32;
  static constexpr int num_elements = opgrade_own * detail::copies<T, Use>;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

namespace detail {

template <class F>
inline void mirror(F& f) {
  if constexpr (F::num_elements > F::opgrade_own) {
    for (int i = 0; i < F::opgrade_own; ++i) f.x[F::opgrade_own + i] = f.x[i];
  }
}

struct Place {
  int row, column;
};

/// The place of a lane's element i. Shapes of whole 8 x 8 tiles have the layout of the operands of
/// mma.sync (PTX ISA, "Matrix Fragments for mma.m16n8k16"): pairs of neighbours in a row, for b in
/// a column, which wmma's loads and stores move at once (SASS of ptxas 13 for sm_90: LDG of 32 bits
/// for half, STG of 64 for float). Other shapes are stored row by row.
template <class F>
constexpr Place place(int lane, int i) {
  constexpr bool tiles = F::opgrade_rows % 8 == 0 && F::opgrade_columns % 8 == 0;
  if (!tiles) {
    const int at = lane * F::opgrade_own + i;
    return {at / F::opgrade_columns, at % F::opgrade_columns};
  }
  constexpr int down = (F::opgrade_by_columns ? F::opgrade_columns : F::opgrade_rows) / 8;
  const int tile = i / 2;
  const int along = tile % down * 8 + lane / 4, across = tile / down * 8 + lane % 4 * 2 + i % 2;
  return F::opgrade_by_columns ? Place{across, along} : Place{along, across};
}

template <class P>
struct __attribute__((packed, may_alias)) Pair {
  P first, second;
};

struct alignas(16) Row {
  char bytes[16];
};

/// Rows must begin at multiples of 16 bytes (CUDA C++ Programming Guide, "Warp Matrix Functions").
/// Making a reference lets the checks test that.
template <class P>
inline __attribute__((always_inline)) void need_aligned_rows(const P* matrix, unsigned stride) {
  const Row& second = *(const Row*)(matrix + stride);
  (void)second;
}

/// Calls use(i, element) for a lane's elements in memory, or use(i, pair) for two of them.
template <class F, class P, class Use, class UsePair>
inline __attribute__((always_inline)) void each_element(P* matrix, unsigned stride, bool by_rows,
                                                        const Use& use, const UsePair& use_pair) {
  need_aligned_rows(matrix, stride);
  const int lane = (int)opgrade_emulation::lane_id();
  for (int i = 0; i < F::opgrade_own; ++i) {
    const Place at = place<F>(lane, i), next = place<F>(lane, i + 1);
    P* const element =
        matrix + (by_rows ? at.row * (long)stride + at.column : at.column * (long)stride + at.row);
    const bool pair = i % 2 == 0 && i + 1 < F::opgrade_own &&
                      (by_rows ? next.column == at.column + 1 && next.row == at.row
                               : next.row == at.row + 1 && next.column == at.column);
    if (pair)
      use_pair(i++, element);
    else
      use(i, element);
  }
}

template <class F, class P>
inline __attribute__((always_inline)) void load(F& f, const P* from, unsigned stride,
                                                bool by_rows) {
  __syncwarp();
  each_element<F>(
      from, stride, by_rows, [&](int i, const P* at) OPGRADE_IN_PLACE { f.x[i] = *at; },
      [&](int i, const P* at) OPGRADE_IN_PLACE {
        const Pair<P> pair = *(const Pair<P>*)at;
        f.x[i] = pair.first;
        f.x[i + 1] = pair.second;
      });
  mirror(f);
}

template <class T>
struct SumOf {
  using type = float;
};
template <>
struct SumOf<double> {
  using type = double;
};
template <>
struct SumOf<int> {
  using type = int;
};

/// Assembles Sum[rows][columns] from the elements of the 32 lanes.
template <class Sum, class F>
OPGRADE_UNCHECKED inline void gather(const F* const* lanes, Sum* to) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < F::opgrade_own; ++i) {
      Sum value = 0;
      if (lanes[lane] != nullptr) {
        if constexpr (sizeof(Sum) == 4 && (Sum)1 / 2 != 0) {
          value = Element<typename F::opgrade_type>::to_float(lanes[lane]->x[i]);
        } else {
          value = (Sum)lanes[lane]->x[i];
        }
      }
      const Place at = place<F>(lane, i);
      to[at.row * F::opgrade_columns + at.column] = value;
    }
  }
}

template <class D, class A, class B, class C>
struct Product {
  using Sum = typename SumOf<typename D::element_type>::type;
  D* d;
  const A* a;
  const B* b;
  const C* c;

  OPGRADE_UNCHECKED static void perform(void** lanes) {
    constexpr int m = A::opgrade_rows, n = B::opgrade_columns, k = A::opgrade_columns;
    const A* as[32];
    const B* bs[32];
    const C* cs[32];
    for (int lane = 0; lane < 32; ++lane) {
      const auto* own = static_cast<const Product*>(lanes[lane]);
      as[lane] = own != nullptr ? own->a : nullptr;
      bs[lane] = own != nullptr ? own->b : nullptr;
      cs[lane] = own != nullptr ? own->c : nullptr;
    }
    Sum left[m * k], right[k * n], sum[m * n];
    gather(as, left);
    gather(bs, right);
    gather(cs, sum);
    for (int i = 0; i < m; ++i) {
      for (int p = 0; p < k; ++p) {
        for (int j = 0; j < n; ++j) sum[i * n + j] += left[i * k + p] * right[p * n + j];
      }
    }
    for (int lane = 0; lane < 32; ++lane) {
      if (lanes[lane] == nullptr) continue;
      D& to = *static_cast<const Product*>(lanes[lane])->d;
      for (int i = 0; i < D::opgrade_own; ++i) {
        const Place at = place<D>(lane, i);
        to.x[i] = (typename D::element_type)sum[at.row * n + at.column];
      }
    }
  }
};

}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout, class V>
inline void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const V& value) {
  for (auto& x : f.x) x = (typename fragment<Use, m, n, k, T, Layout>::element_type)value;
}

template <class Use, int m, int n, int k, class T, class P>
inline __attribute__((always_inline)) void load_matrix_sync(fragment<Use, m, n, k, T, row_major>& f,
                                                            const P* from, unsigned stride) {
  detail::load(f, from, stride, true);
}
template <class Use, int m, int n, int k, class T, class P>
inline __attribute__((always_inline)) void load_matrix_sync(fragment<Use, m, n, k, T, col_major>& f,
                                                            const P* from, unsigned stride) {
  detail::load(f, from, stride, false);
}
template <int m, int n, int k, class T, class P>
inline __attribute__((always_inline)) void load_matrix_sync(fragment<accumulator, m, n, k, T>& f,
                                                            const P* from, unsigned stride,
                                                            layout_t layout) {
  detail::load(f, from, stride, layout == mem_row_major);
}

template <int m, int n, int k, class T, class P>
inline __attribute__((always_inline)) void store_matrix_sync(
    P* to, const fragment<accumulator, m, n, k, T>& f, unsigned stride, layout_t layout) {
  using F = fragment<accumulator, m, n, k, T>;
  __syncwarp();
  detail::each_element<F>(
      to, stride, layout == mem_row_major, [&](int i, P* at) OPGRADE_IN_PLACE { *at = f.x[i]; },
      [&](int i, P* at) OPGRADE_IN_PLACE {
        const detail::Pair<P> pair{(P)f.x[i], (P)f.x[i + 1]};
        *(detail::Pair<P>*)at = pair;
      });
  __syncwarp();
}

template <int m, int n, int k, class TD, class TA, class LA, class TB, class LB, class TC>
inline void mma_sync(fragment<accumulator, m, n, k, TD>& d,
                     const fragment<matrix_a, m, n, k, TA, LA>& a,
                     const fragment<matrix_b, m, n, k, TB, LB>& b,
                     const fragment<accumulator, m, n, k, TC>& c, bool = false) {
  using P =
      detail::Product<fragment<accumulator, m, n, k, TD>, fragment<matrix_a, m, n, k, TA, LA>,
                      fragment<matrix_b, m, n, k, TB, LB>, fragment<accumulator, m, n, k, TC>>;
  P mine{&d, &a, &b, &c};
  opgrade_emulation::warp_collective(&P::perform, &mine);
}

// cvt.rna.tf32.f32: to nearest, ties away from zero.
inline float __float_to_tf32(float v) {
  const unsigned bits = opgrade_emulation::float_bits(v);
  if ((bits & 0x7f800000u) == 0x7f800000u) return v;
  return opgrade_emulation::bits_float((bits + 0x1000u) & 0xffffe000u);
}

}  // namespace wmma
}  // namespace nvcuda
