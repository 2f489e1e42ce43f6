/// Reports of g++'s sanitizers, as findings.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// The reports in `text`, in the words of the emulated device's findings. The line of a stack is
/// the innermost one for whose path `is_own` is false: the submission's.
std::vector<Finding> read_address_sanitizer(const std::string& text,
                                            const std::function<bool(const std::string&)>& is_own);

/// The data races and lost updates (adapters/openmp_races.cc) in a text of the thread sanitizer.
std::vector<Finding> read_thread_sanitizer(const std::string& text,
                                           const std::function<bool(const std::string&)>& is_own);

}  // namespace opgrade
