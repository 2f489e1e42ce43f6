/// One timed run at a time on this machine, whoever grades.
#pragma once

#include "grader/core/fd.hpp"

namespace opgrade {

/// Waits for and holds the machine's timing lock: a flock on a file that every user's grader
/// shares. Works between threads too, because each lock opens the file anew.
class TimingLock {
 public:
  TimingLock();

 private:
  Fd file_;
};

}  // namespace opgrade
