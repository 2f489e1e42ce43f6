/// Processor cores that a timed run with several threads has for itself, among all graders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "grader/grading/device/lock_file.hpp"

namespace opgrade {

/// The cores on which this process may run, in the order of spread_out().
std::vector<int> usable_cores();

/// `cores` in the order in which they are leased: one hardware thread of each physical core, then
/// the siblings. Those that `cpus` does not describe count as physical.
std::vector<int> spread_out(const std::vector<int>& cores,
                            const std::filesystem::path& cpus = "/sys/devices/system/cpu");

/// Holds so many cores for as long as it lives.
class CoreLease {
 public:
  /// Waits until `count` of `cores` are free, which has as many or more. One grader alone collects
  /// cores at a time, and only who collects waits while holding some. So no two wait for each
  /// other, and a lease of many cores is not overtaken by leases of few.
  CoreLease(std::size_t count, const std::vector<int>& cores,
            LockPatience patience = LockPatience(),
            const std::filesystem::path& folder = shared_lock_folder());

  const std::vector<int>& cores() const { return cores_; }
  /// Why other timed runs may use the cores as well; empty when they do not.
  const std::string& problem() const { return problem_; }

 private:
  bool wait_for(LockFile& file, LockPatience& patience);

  std::vector<int> cores_;
  std::vector<LockFile> locks_;
  std::string problem_;
};

}  // namespace opgrade
