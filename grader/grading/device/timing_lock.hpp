/// One timed run at a time on a device, for any grader.
#pragma once

#include <optional>
#include <string>

#include "grader/grading/device/lock_file.hpp"

namespace opgrade {

/// One GPU, by its UUID, among all graders.
class DeviceLock {
 public:
  /// Returns nullopt while another process has the device, but not longer than `patience` allows.
  static std::optional<DeviceLock> try_take(const std::string& device,
                                            LockPatience* patience = nullptr);

  static std::string path_of(const std::string& device);

  /// Why others may use the device at the same time; empty if they do not.
  const std::string& problem() const { return problem_; }

 private:
  explicit DeviceLock(LockFile file, std::string problem)
      : file_(std::move(file)), problem_(std::move(problem)) {}
  LockFile file_;
  std::string problem_;
};

/// Waits for and holds the right to run something whose time counts.
class TimingLock {
 public:
  /// Locks the whole machine, for runs that are timed on its CPU.
  explicit TimingLock(LockPatience patience = LockPatience(),
                      const std::filesystem::path& folder = shared_lock_folder());

  /// For the holder of a GPU: runs on other GPUs may go on at the same time, runs on the CPU may
  /// not.
  explicit TimingLock(const DeviceLock& device, LockPatience patience = LockPatience());

  /// Why other timed runs may go on at the same time; empty if none does. The run goes on anyway.
  const std::string& problem() const { return problem_; }

 private:
  void wait_for(LockPatience& patience, int how);

  LockFile machine_;
  std::string problem_;
};

}  // namespace opgrade
