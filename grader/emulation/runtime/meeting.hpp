/// A point where blocks that run at the same time wait for each other.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>

namespace opgrade_emulation {

/// Used by the host threads that run a launch. Safe to use from all of them.
class Meeting {
 public:
  void expect(unsigned host_threads) {
    const std::lock_guard lock(guard_);
    expected_ = host_threads;
    here_ = 0;
  }

  /// Waits for all expected threads. If the others compute for a second meanwhile, gives up, and no
  /// meeting of this process waits any more: a block may be waiting in a loop for what the block
  /// here is about to write.
  void wait() {
    if (given_up_) return;
    std::unique_lock lock(guard_);
    ++here_;
    if (go_on_if_all_are_here()) return;
    const auto is_over = [&, mine = number_] { return number_ != mine; };
    for (const double end = computed_seconds() + 1; computed_seconds() < end;)
      if (over_.wait_for(lock, std::chrono::milliseconds(50), is_over)) return;
    given_up_ = true;
    here_ = expected_;
    go_on_if_all_are_here();
  }

  /// Call this when a host thread has no block left.
  void leave() {
    const std::lock_guard lock(guard_);
    --expected_;
    if (here_ > 0) go_on_if_all_are_here();
  }

 private:
  /// CPU time of the process: threads that wait here add nothing to it, however busy the machine
  /// is.
  static double computed_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  bool go_on_if_all_are_here() {
    if (here_ < expected_) return false;
    here_ = 0;
    ++number_;
    over_.notify_all();
    return true;
  }

  static inline std::atomic<bool> given_up_ = false;
  std::mutex guard_;
  std::condition_variable over_;
  unsigned expected_ = 1, here_ = 0, number_ = 0;
};

}  // namespace opgrade_emulation
