// Stands in for CUB's WarpReduce.
#pragma once
#pragma GCC system_header

#include "../util_type.cuh"

namespace cub {

/// Only the first lane of each group of kLanes gets the right result.
template <class T, int kLanes = 32, int = 0>
class WarpReduce {
  static_assert(kLanes >= 1 && kLanes <= 32, "a logical warp has 1 to 32 lanes");

 public:
  struct TempStorage {
    unsigned char opgrade_unused;
  };
  OPGRADE_INLINE explicit WarpReduce(TempStorage&) {}

  OPGRADE_INLINE T Sum(T value) { return Reduce(value, cub::Sum()); }
  OPGRADE_INLINE T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  OPGRADE_INLINE T Max(T value) { return Reduce(value, cub::Max()); }
  OPGRADE_INLINE T Max(T value, int valid) { return Reduce(value, cub::Max(), valid); }
  OPGRADE_INLINE T Min(T value) { return Reduce(value, cub::Min()); }
  OPGRADE_INLINE T Min(T value, int valid) { return Reduce(value, cub::Min(), valid); }
  template <class Op>
  OPGRADE_INLINE T Reduce(T value, Op op) {
    return Reduce(value, op, kLanes);
  }
  template <class Op>
  OPGRADE_INLINE T Reduce(T value, Op op, int valid) {
    value = opgrade_emulation::reduce_in_warp<kLanes>(value, op, valid);
    return opgrade_emulation::lane_id() % kLanes == 0 ? value
                                                      : opgrade_emulation::undefined_value(value);
  }
  /// The first lane of each segment has a flag, and gets the segment's sum.
  template <class Flag>
  OPGRADE_INLINE T HeadSegmentedSum(T value, Flag head) {
    return HeadSegmentedReduce(value, head, cub::Sum());
  }
  template <class Flag, class Op>
  OPGRADE_INLINE T HeadSegmentedReduce(T value, Flag head, Op op) {
    return in_segments(value, heads(head != 0), op);
  }
  /// The last lane of each segment has a flag.
  template <class Flag>
  OPGRADE_INLINE T TailSegmentedSum(T value, Flag tail) {
    return TailSegmentedReduce(value, tail, cub::Sum());
  }
  template <class Flag, class Op>
  OPGRADE_INLINE T TailSegmentedReduce(T value, Flag tail, Op op) {
    return in_segments(value, heads(tail != 0) << 1, op);
  }

 private:
  /// The flags of the group's lanes, by their rank.
  OPGRADE_INLINE unsigned heads(bool flag) const {
    const unsigned mask = opgrade_emulation::lanes_of_group<kLanes>();
    return __ballot_sync(mask, flag) >> (opgrade_emulation::lane_id() / kLanes * kLanes);
  }
  template <class Op>
  OPGRADE_INLINE T in_segments(T value, unsigned heads, Op op) {
    const unsigned mask = opgrade_emulation::lanes_of_group<kLanes>();
    const int lane = (int)opgrade_emulation::lane_id(), rank = lane % kLanes;
    const unsigned behind = (unsigned)(((unsigned long long)heads & 0xFFFFFFFFull) >> rank >> 1);
    const int in_group = __builtin_popcount(mask);
    const int end = behind == 0 ? in_group : rank + 1 + __builtin_ctz(behind);
    for (int step = 1; step < kLanes; step *= 2) {
      const T other =
          opgrade_emulation::shuffle(mask, value, rank + step < in_group ? lane + step : lane);
      if (rank + step < end) value = op(value, other);
    }
    const bool is_head = rank == 0 || (heads >> rank & 1u) != 0;
    return is_head ? value : opgrade_emulation::undefined_value(value);
  }
};

}  // namespace cub
