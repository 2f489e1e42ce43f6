/// One grading at a time in a results folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "grader/base/core/fd.hpp"

namespace opgrade {

/// Makes the folder if there is none. Throws Error.
void make_results_folder(const std::filesystem::path& results);

/// Held for a whole grading. The kernel frees it with the process, however that ends.
class ResultsLock {
 public:
  /// Makes the folder where there is none, and removes results that a kill left half written.
  /// Where the folder is in use, `again` is asked, with the other process; it may wait. Throws
  /// Error, naming that process, when it says no.
  explicit ResultsLock(
      const std::filesystem::path& results, const std::function<bool(const std::string&)>& again =
                                                [](const std::string&) { return false; });

 private:
  Fd file_;
};

}  // namespace opgrade
