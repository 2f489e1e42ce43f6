/// One grading at a time in a results folder.
#pragma once

#include <filesystem>

#include "grader/core/fd.hpp"

namespace opgrade {

/// Held for a whole grading. The kernel frees it with the process, however that ends.
class ResultsLock {
 public:
  /// Makes the folder where there is none, and removes results that a kill left half written.
  /// Throws Error, naming the other process, when the folder is in use.
  explicit ResultsLock(const std::filesystem::path& results);

 private:
  Fd file_;
};

}  // namespace opgrade
