/// Where blocks that run at the same time wait for each other.
#pragma once

#include <condition_variable>
#include <mutex>

namespace opgrade_emulation {

/// Of the host threads that run a launch. Safe to use from all of them.
class Meeting {
 public:
  void expect(unsigned host_threads);
  /// For all that are expected. Once the others computed for a second meanwhile, no meeting of this
  /// process waits any more: a block may wait in a loop for what the one here is about to write.
  void wait();
  /// A host thread has no block any more.
  void leave();

 private:
  bool go_on_if_all_are_here();

  std::mutex guard_;
  std::condition_variable over_;
  unsigned expected_ = 1, here_ = 0, number_ = 0;
};

}  // namespace opgrade_emulation
