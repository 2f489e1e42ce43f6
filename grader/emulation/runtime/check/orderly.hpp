/// How an access changes a cell if it surely is no mistake. Only a few accesses are not of this
/// kind.
#pragma once

#include "grader/emulation/runtime/check/context.hpp"

namespace opgrade_emulation {

/// True if this block's access in the cell happened before the block's last barrier.
inline bool before_barrier(Cell cell) {
  const unsigned thread = static_cast<unsigned>(cell & kThreadMask);
  return (cell & kEpochMask) >> kEpochAt < block_clock.barrier[thread / 32];
}

/// True if this block's access in the cell happened before what the running thread does now.
inline bool ordered(Cell cell) {
  const unsigned thread = static_cast<unsigned>(cell & kThreadMask);
  const auto epoch = static_cast<std::uint32_t>((cell & kEpochMask) >> kEpochAt);
  const unsigned warp = thread / 32;
  if (before_barrier(cell)) return true;
  const unsigned own_warp = static_cast<unsigned>(self.read & kThreadMask) / 32;
  return warp == own_warp && (cell & kManyWarps) == 0 && epoch < block_clock.epoch[warp];
}

inline Cell fresh_cell(Access access) {
  return is_read(access)           ? self.read & ~kWritten
         : access == Access::write ? self.write
                                   : self.write | kAtomic | (is_of_block(access) ? kOfBlock : 0);
}

inline bool of_this_block(Cell cell) { return (cell & (kWhere | kManyBlocks)) == block_tag; }

/// The new cell after a read or a write, if this block used the cell in this launch without atomic
/// operations. kClosed if the access is a race.
__attribute__((always_inline)) inline Cell after_own_block(Cell cell, Access access) {
  const bool writes = access == Access::write;
  const bool same_thread =
      (cell & kThreadMask) == (self.read & kThreadMask) && (cell & (kSameWarp | kManyWarps)) == 0;
  const bool last_writes = (cell & kLastWrites) != 0;
  if (same_thread || ordered(cell)) {
    // A thread's own write stays in the cell while the thread reads, because others must not read
    // before a barrier.
    if (!writes && same_thread && last_writes && !ordered(cell)) return cell;
    return writes ? fresh_cell(access) : fresh_cell(access) | (cell & kWritten);
  }
  if (writes || last_writes) return kClosed;
  const bool same_warp = (cell & kThreadMask) / 32 == (self.read & kThreadMask) / 32;
  const Cell readers = same_warp && (cell & kManyWarps) == 0 ? self.warp_read : self.block_read;
  return (readers & ~kWritten) | (cell & kWritten);
}

/// The new cell after a read or a write; kClosed if judge_cell() must decide.
__attribute__((always_inline)) inline Cell after_orderly(Cell cell, Access access, bool shared) {
  if ((cell & kAtomic) != 0 && (cell & kLaunchMask) == launch_tag) return kClosed;
  if (of_this_block(cell)) return after_own_block(cell, access);
  if (shared) return kClosed;
  const bool writes = access == Access::write;
  if ((cell & kLaunchMask) != launch_tag) {
    const bool open = cell == kUnwritten ? writes : cell >= kClean && cell != kSplit;
    return open ? fresh_cell(access) : kClosed;
  }
  return !writes && (cell & kWritten) == 0 ? self.many : kClosed;
}

/// The distance to an address in the submission's code fits 32 bits.
extern const char place_in_object;
inline std::uint32_t short_site(const void* here) {
  return static_cast<std::uint32_t>(static_cast<const char*>(here) - &place_in_object);
}

}  // namespace opgrade_emulation
