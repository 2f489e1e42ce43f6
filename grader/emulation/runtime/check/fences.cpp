#include "grader/emulation/runtime/check/fences.hpp"

#include <algorithm>

namespace opgrade_emulation {
namespace {

// A cell has room for two bits: 0 before the thread's first fence, then 1, 2 and 3 in rotation.
constexpr unsigned kFields = 3;
unsigned field(std::uint32_t fences) { return fences == 0 ? 0 : (fences - 1) % kFields + 1; }

unsigned field_in(Cell cell) { return static_cast<unsigned>((cell & kFenceMask) >> kFenceAt); }
unsigned thread_in(Cell cell) { return static_cast<unsigned>(cell & kThreadMask); }
std::uint64_t block_in(Cell cell) { return (cell & kBlockMask) >> kBlockAt; }
unsigned running_thread() { return thread_in(self.read); }

}  // namespace

Fences fences;

void Fences::Acquired::add(std::uintptr_t to, Time time) {
  if (to != address) elsewhere = std::max(elsewhere, last);
  address = to;
  last = time;
}

void Fences::Acquired::add(const Acquired& other) {
  if (other.last == 0) return;
  if (other.last > last) {
    const Acquired before = *this;
    *this = other;
    elsewhere = std::max(elsewhere, before.before(address));
  } else {
    elsewhere = std::max(elsewhere, other.before(address));
  }
}

void Fences::begin_launch() {
  fenced_blocks_.clear();
  fenced_ = false;
  now_ = 0;
}

void Fences::begin_block() {
  if (first_in_block_ == 0 && !acquired_) return;
  std::fill(std::begin(threads_), std::end(threads_), Thread());
  std::fill(std::begin(warps_), std::end(warps_), Warp());
  first_in_block_ = 0;
  acquired_ = false;
}

void Fences::fence() {
  const unsigned number = running_thread();
  Thread& thread = threads_[number];
  ++now_;
  thread.at[field(++thread.fences)] = now_;
  warps_[number / 32] = {block_clock.epoch[number / 32], now_};
  if (first_in_block_ == 0) first_in_block_ = now_;
  fenced_ = true;
  const std::uint64_t block = block_in(block_tag);
  if (fenced_blocks_.size() <= block) fenced_blocks_.resize(block + 1);
  fenced_blocks_[block] = true;
}

void Fences::acquire(std::uintptr_t address) {
  acquired_ = true;
  threads_[running_thread()].acquired.add(address, ++now_);
}

void Fences::block_barrier(unsigned threads) {
  if (!acquired_) return;
  Acquired all;
  for (unsigned t = 0; t < threads; ++t) all.add(threads_[t].acquired);
  for (unsigned t = 0; t < threads; ++t) threads_[t].acquired = all;
}

void Fences::warp_barrier(unsigned warp) {
  if (!acquired_) return;
  Acquired all;
  for (unsigned t = warp * 32; t < warp * 32 + 32; ++t) all.add(threads_[t].acquired);
  for (unsigned t = warp * 32; t < warp * 32 + 32; ++t) threads_[t].acquired = all;
}

Cell Fences::field_of(unsigned thread) const {
  return Cell{field(threads_[thread].fences)} << kFenceAt;
}

/// The time of the first fence after an access of the running block; 0 if there is none. If several
/// fences have the same field, the last one counts.
Fences::Time Fences::released(Cell earlier) const {
  if ((earlier & (kSameWarp | kManyWarps)) != 0) return first_in_block_;
  const unsigned number = thread_in(earlier);
  const Thread& thread = threads_[number];
  const unsigned before = field_in(earlier);
  if (before != field(thread.fences)) return thread.at[before % kFields + 1];
  if (before != 0) return thread.at[before];
  const Warp& warp = warps_[number / 32];
  const auto epoch = static_cast<std::uint32_t>((earlier & kEpochMask) >> kEpochAt);
  return epoch < warp.epoch ? warp.at : 0;
}

bool Fences::order(Cell earlier, std::uintptr_t address, Access now) const {
  const bool many_blocks = (earlier & kManyBlocks) != 0;
  const bool own_block = (earlier & (kWhere | kManyBlocks)) == block_tag;
  if (!own_block) {
    const std::uint64_t block = block_in(earlier);
    const bool released =
        many_blocks ? fenced_ : block < fenced_blocks_.size() && fenced_blocks_[block];
    if (!released) return false;
    if (now == Access::volatile_read) return true;
  }
  const bool by_one = (earlier & (kSameWarp | kManyWarps | kManyBlocks)) == 0;
  // What a thread stores after a fence is meant for others: a flag, or a lock that it opens.
  if (by_one && (earlier & kLastWrites) != 0 && field_in(earlier) != 0 && now != Access::write)
    return true;
  if (now == Access::write && (earlier & kAtomic) != 0 && field_of(running_thread()) != 0)
    return true;
  // A volatile read waits for a counter that threads increment after their fences.
  if (now == Access::volatile_read && (earlier & kAtomic) != 0 && first_in_block_ != 0) return true;
  const Time acquired = threads_[running_thread()].acquired.before(address);
  if (!own_block) return acquired != 0;
  const Time time = released(earlier);
  return time != 0 && acquired > time;
}

}  // namespace opgrade_emulation
