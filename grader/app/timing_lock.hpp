/// One timed run at a time on this machine, whoever grades.
#pragma once

#include <string>

#include "grader/core/fd.hpp"

namespace opgrade {

/// Waits for and holds a timing lock: flocks on files that every user's grader shares. Works
/// between threads too, because each lock opens the files anew.
class TimingLock {
 public:
  /// The whole machine, for runs that are timed on its CPU.
  TimingLock();

  /// One GPU, by its UUID: runs on other GPUs may go on beside it, runs on the CPU may not.
  explicit TimingLock(const std::string& device);

 private:
  Fd machine_;
  Fd device_;
};

}  // namespace opgrade
