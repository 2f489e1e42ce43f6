/// Counts what a submission's kernels do: on the emulated device, whatever the case ran on.
#pragma once

#include "grader/base/core/profile.hpp"
#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/cases/plan/case_calls.hpp"

namespace opgrade {

/// Runs context.wants.counting on a few images, which are enough because every block of an image
/// does the same. The outputs are checked, and nothing here changes an outcome.
///
/// For a rule on counts each load is tried: for each place in the code that loads, the calls run
/// once more with other values there. A load is useless if all outputs are still right.
ProfileReport count_accesses(const CaseContext& context, const CaseCalls& calls);

}  // namespace opgrade
