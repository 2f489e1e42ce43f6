/// Times a submission whose calls leave memory behind: each call on the whole batch has a process
/// of its own.
#pragma once

#include <functional>

#include "grader/grading/cases/layer/layer_run.hpp"

namespace opgrade {

/// One problem in a process that is new, with tensors that stay from process to process.
struct FreshRun {
  std::function<CallReport(const RunOptions&, const std::function<void()>& use_output)> run;
  std::function<bool()> ended;  ///< true if the submission's process ended during it
};

/// The first process has the original input; its call is checked whole and not timed. Each later
/// process makes one timed call. There are as many as the plan has calls, or until they took its
/// budget. No call is left out: the first that fails is the result. There are no times if the first
/// timed call takes longer than `abort_above`.
CallReport run_in_fresh_processes(const FreshRun& fresh, const RunOptions& options,
                                  const std::function<void()>& use_output);

}  // namespace opgrade
