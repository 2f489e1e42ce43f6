/// Tracks the order that fences and atomic operations make without a barrier: flags, locks and
/// tickets.
#pragma once

#include <cstdint>
#include <vector>

#include "grader/emulation/runtime/check/context.hpp"

namespace opgrade_emulation {

/// A thread releases its earlier accesses by a fence. Another thread acquires them by a later
/// atomic operation, or by a read of a word that was stored after a fence. Which flag belongs to
/// which data is unknown, so the use of a wrong flag is not found.
class Fences {
 public:
  void begin_launch();
  void begin_block();

  /// Both are called by the running thread.
  void fence();
  void acquire(std::uintptr_t address);

  void block_barrier(unsigned threads);
  void warp_barrier(unsigned warp);

  /// The field of a cell that counts the thread's fences before the access.
  Cell field_of(unsigned thread) const;

  /// True if the access that a cell stores happened before the running thread's access.
  bool order(Cell earlier, std::uintptr_t address, Access now) const;

 private:
  using Time = std::uint64_t;  ///< counts fences and acquisitions of the launch; 0 is never

  /// An atomic operation does not order accesses to the word that it changes. Therefore the time of
  /// the last operation on another word is kept, too.
  struct Acquired {
    std::uintptr_t address = 0;
    Time last = 0, elsewhere = 0;
    void add(std::uintptr_t to, Time time);
    void add(const Acquired& other);
    Time before(std::uintptr_t access) const { return access == address ? elsewhere : last; }
  };
  struct Thread {
    std::uint32_t fences = 0;
    Time at[4] = {};  ///< of the last fence with each field
    Acquired acquired;
  };
  struct Warp {
    std::uint32_t epoch = 0;  ///< of its last fence
    Time at = 0;
  };

  Time released(Cell earlier) const;

  Thread threads_[kMaxThreads];
  Warp warps_[kMaxThreads / 32];
  std::vector<bool> fenced_blocks_;
  Time now_ = 0, first_in_block_ = 0;
  bool fenced_ = false, acquired_ = false;
};
extern Fences fences;

}  // namespace opgrade_emulation
