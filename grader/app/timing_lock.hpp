/// One timed run at a time on a device, whoever grades.
#pragma once

#include <optional>
#include <string>

#include "grader/core/fd.hpp"

namespace opgrade {

// Flocks on files in /tmp that every user's grader shares. They work between threads too, because
// each lock opens the files anew.

/// One GPU, by its UUID, among all graders.
class DeviceLock {
 public:
  /// Nothing while another has it.
  static std::optional<DeviceLock> try_take(const std::string& device);

  static std::string path_of(const std::string& device);

 private:
  explicit DeviceLock(Fd file) : file_(std::move(file)) {}
  Fd file_;
};

/// Waits for and holds the right to run something whose time counts.
class TimingLock {
 public:
  /// The whole machine, for runs that are timed on its CPU.
  TimingLock();

  /// For the holder of a GPU: runs on other GPUs may go on beside it, runs on the CPU may not.
  explicit TimingLock(const DeviceLock& device);

 private:
  Fd machine_;
};

}  // namespace opgrade
