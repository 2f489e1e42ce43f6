/// Allows one grading at a time in a results folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "grader/base/core/fd.hpp"

namespace opgrade {

/// Creates the folder if there is none. Throws Error.
void make_results_folder(const std::filesystem::path& results);

/// Held for a whole grading. The kernel releases the lock when the process ends, however it ends.
class ResultsLock {
 public:
  /// Creates the folder if there is none, and removes results that a kill left half written. If
  /// another process uses the folder, calls `again` with the name of that process; `again` may
  /// wait. If it returns false, throws an Error that names the process.
  explicit ResultsLock(
      const std::filesystem::path& results, const std::function<bool(const std::string&)>& again =
                                                [](const std::string&) { return false; });

 private:
  Fd file_;
};

}  // namespace opgrade
