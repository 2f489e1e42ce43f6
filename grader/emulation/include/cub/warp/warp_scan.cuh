// Stands in for CUB's WarpScan.
#pragma once
#pragma GCC system_header

#include "../util_type.cuh"

namespace cub {

template <class T, int kLanes = 32, int = 0>
class WarpScan {
  static_assert(kLanes >= 1 && kLanes <= 32, "a logical warp has 1 to 32 lanes");

 public:
  struct TempStorage {
    unsigned char opgrade_unused;
  };
  OPGRADE_INLINE explicit WarpScan(TempStorage&) {}

  OPGRADE_INLINE void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  OPGRADE_INLINE void InclusiveSum(T in, T& out, T& all) {
    InclusiveScan(in, out, cub::Sum(), all);
  }
  OPGRADE_INLINE void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(), cub::Sum()); }
  OPGRADE_INLINE void ExclusiveSum(T in, T& out, T& all) {
    ExclusiveScan(in, out, T(), cub::Sum(), all);
  }
  template <class Op>
  OPGRADE_INLINE void InclusiveScan(T in, T& out, Op op) {
    out = opgrade_emulation::scan_in_warp<kLanes>(in, op);
  }
  template <class Op>
  OPGRADE_INLINE void InclusiveScan(T in, T& out, Op op, T& all) {
    out = opgrade_emulation::scan_in_warp<kLanes>(in, op);
    all = last(out);
  }
  /// The result of the first lane is undefined.
  template <class Op>
  OPGRADE_INLINE void ExclusiveScan(T in, T& out, Op op) {
    out = before(opgrade_emulation::scan_in_warp<kLanes>(in, op));
    if (rank() == 0) out = opgrade_emulation::undefined_value(out);
  }
  template <class Op>
  OPGRADE_INLINE void ExclusiveScan(T in, T& out, T initial, Op op) {
    T ignored;
    ExclusiveScan(in, out, initial, op, ignored);
  }
  template <class Op>
  OPGRADE_INLINE void ExclusiveScan(T in, T& out, Op op, T& all) {
    const T sum = opgrade_emulation::scan_in_warp<kLanes>(in, op);
    all = last(sum);
    out = before(sum);
    if (rank() == 0) out = opgrade_emulation::undefined_value(out);
  }
  template <class Op>
  OPGRADE_INLINE void ExclusiveScan(T in, T& out, T initial, Op op, T& all) {
    const T sum = opgrade_emulation::scan_in_warp<kLanes>(in, op);
    all = last(sum);
    out = before(sum);
    out = rank() == 0 ? initial : (T)op(initial, out);
  }
  OPGRADE_INLINE void Scan(T in, T& inclusive, T& exclusive) {
    inclusive = opgrade_emulation::scan_in_warp<kLanes>(in, cub::Sum());
    exclusive = before(inclusive);
    if (rank() == 0) exclusive = T();
  }
  template <class Op>
  OPGRADE_INLINE void Scan(T in, T& inclusive, T& exclusive, T initial, Op op) {
    const T sum = opgrade_emulation::scan_in_warp<kLanes>(in, op);
    exclusive = before(sum);
    exclusive = rank() == 0 ? initial : (T)op(initial, exclusive);
    inclusive = op(initial, sum);
  }
  OPGRADE_INLINE T Broadcast(T value, unsigned source) {
    return opgrade_emulation::shuffle(mask(), value, first_lane() + (int)source);
  }

 private:
  static OPGRADE_INLINE unsigned mask() { return opgrade_emulation::lanes_of_group<kLanes>(); }
  static OPGRADE_INLINE int rank() { return (int)(opgrade_emulation::lane_id() % kLanes); }
  static OPGRADE_INLINE int first_lane() { return (int)opgrade_emulation::lane_id() - rank(); }
  static OPGRADE_INLINE T last(T sum) {
    return opgrade_emulation::shuffle(mask(), sum, first_lane() + __builtin_popcount(mask()) - 1);
  }
  static OPGRADE_INLINE T before(T sum) {
    return opgrade_emulation::shuffle(mask(), sum,
                                      (int)opgrade_emulation::lane_id() - (rank() > 0 ? 1 : 0));
  }
};

}  // namespace cub
