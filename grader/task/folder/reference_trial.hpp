/// Finds out without a right answer whether a task's reference can be relied on.
#pragma once

#include <cstdint>
#include <string>

#include "grader/task/folder/output_check.hpp"

namespace opgrade {

struct ReferenceTrial {
  std::string wrong;   ///< "3 of 37 elements of y are not written, the first is y[34]"
  std::string advice;  ///< what to do about it
  std::string note;    ///< something unusual that may be intended
};

/// Compares the first `count` elements of an output with those of a second call, in which all
/// memory that nothing has set holds other bytes. The outputs themselves held `kTrialFill` before
/// the second call.
ReferenceTrial compare_trials(const BufferDescription& buffer, const Expected& output,
                              const Expected& poisoned, std::int64_t count);

/// Looks for NaN in a floating-point output of inputs without NaN.
ReferenceTrial look_for_nan(const BufferDescription& buffer, const Expected& output,
                            std::int64_t count);

}  // namespace opgrade
