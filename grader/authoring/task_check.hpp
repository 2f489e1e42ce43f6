/// Tests a task's folder before students do.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "grader/grading/pipeline/grader_options.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// One thing that was tried, as it comes.
struct TaskFinding {
  bool good = false;
  bool undecided = false;  ///< nothing is known about it: the grader failed, or a GPU is needed
  bool mutant = false;     ///< a planted mistake; one that is not noticed may compute the same
  std::string what;        ///< "submissions/wrong_output/one_block"
  std::string seen;        ///< "wrong output in gpu/random"
  std::string advice;      ///< what to do where it is not good
  bool reused = false;     ///< nothing of it changed since the last check
  double took_s = 0;       ///< of a run
};

struct TaskCheckOptions {
  GraderOptions grading;  ///< with a seed
  int mutants = 24;       ///< at most, of each source of the solution, spread over the source
  std::string only;       ///< one of TaskFinding::what, or "wrong_output/one_block"; empty: all
  /// Holds what was as expected at the last check of the same files; empty: nothing is reused.
  std::filesystem::path seen_before;
};

struct TaskCheckResult {
  int tried = 0, bad = 0;          ///< without the mutants
  int mutants = 0, survivors = 0;  ///< that built
};

/// In TaskCheckOptions::seen_before: the seed of the checks.
inline constexpr const char* kSeedFile = "seed";

/// The solution has all points. Each submissions/<outcome>/<name> ends with that outcome. What
/// computes nothing is refused. Small mistakes planted in the solution are noticed. `tell` gets
/// each finding as it comes; `still_runs` what takes long, again and again, with its seconds so
/// far. Throws Error where the folder cannot be graded with at all.
TaskCheckResult check_task(const Config& config, const TaskCheckOptions& options,
                           const std::function<void(const TaskFinding&)>& tell,
                           const std::function<void(const std::string&, double)>& still_runs = {});

}  // namespace opgrade
