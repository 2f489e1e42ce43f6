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
/// the siblings. Cores that `cpus` does not describe count as physical.
std::vector<int> spread_out(const std::vector<int>& cores,
                            const std::filesystem::path& cpus = "/sys/devices/system/cpu");

/// Holds `count` cores for as long as it lives.
class CoreLease {
 public:
  /// Waits until `count` of `cores` are free; there must be as many. Only one grader at a time
  /// collects cores, and only the grader that collects waits while it holds some. So no two graders
  /// wait for each other, and leases of few cores do not overtake a lease of many.
  CoreLease(std::size_t count, const std::vector<int>& cores,
            LockPatience patience = LockPatience(),
            const std::filesystem::path& folder = shared_lock_folder());

  const std::vector<int>& cores() const { return cores_; }
  /// Why other timed runs may use the cores as well; empty if they do not.
  const std::string& problem() const { return problem_; }

 private:
  bool wait_for(LockFile& file, LockPatience& patience);

  std::vector<int> cores_;
  std::vector<LockFile> locks_;
  std::string problem_;
};

}  // namespace opgrade
