/// Whether a task's reference can be relied on, found out without a right answer.
#pragma once

#include <cstdint>
#include <string>

#include "grader/task/folder/output_check.hpp"

namespace opgrade {

struct ReferenceTrial {
  std::string wrong;   ///< "3 of 37 elements of y are not written, the first is y[34]"
  std::string advice;  ///< what to do about it
  std::string note;    ///< what is strange and may be meant
};

/// An output of a call, and that of the same call with other bytes in all memory that nothing has
/// set, of which the outputs themselves held `kTrialFill`. Compares the first `count` elements.
ReferenceTrial compare_trials(const BufferDescription& buffer, const Expected& output,
                              const Expected& poisoned, std::int64_t count);

/// Of a floating output: NaN, although no input is.
ReferenceTrial look_for_nan(const BufferDescription& buffer, const Expected& output,
                            std::int64_t count);

}  // namespace opgrade
