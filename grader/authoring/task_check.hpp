/// Tests a task's folder before students use it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "grader/grading/pipeline/grader_options.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// The result of one check, reported as soon as it is known.
struct TaskFinding {
  bool good = false;
  bool undecided = false;  ///< the check has no result: the grader failed, or a GPU is needed
  bool mutant = false;  ///< the check is of a planted mistake; one that is not noticed may compute
                        ///< the same results
  std::string what;     ///< "submissions/wrong_output/one_block"
  std::string seen;     ///< "wrong output in gpu/random"
  std::string advice;   ///< what to do if `good` is false
  bool reused = false;  ///< taken from the last check, because nothing has changed since
  double took_s = 0;    ///< for a run
};

struct TaskCheckOptions {
  GraderOptions grading;  ///< must have a seed
  int mutants = 24;       ///< at most, for each source of the solution, spread over the source
  /// A TaskFinding::what, or "wrong_output/one_block"; empty: all checks are made.
  std::string only;
  /// Folder with the results that were as expected at the last check of the same files; empty: no
  /// result is reused.
  std::filesystem::path seen_before;
};

struct TaskCheckResult {
  int tried = 0, bad = 0;          ///< mutants are not counted
  int mutants = 0, survivors = 0;  ///< mutants that were built
};

/// Name of the file in TaskCheckOptions::seen_before with the seed of the checks.
inline constexpr const char* kSeedFile = "seed";

/// Checks that the solution earns all points, that each submissions/<outcome>/<name> has that
/// outcome, that submissions which compute nothing are refused, and that small mistakes planted in
/// the solution are noticed. `tell` gets each finding when it is known; `still_runs` is called
/// repeatedly during a long check, with its name and its seconds so far. Throws Error if the folder
/// cannot be used for grading at all.
TaskCheckResult check_task(const Config& config, const TaskCheckOptions& options,
                           const std::function<void(const TaskFinding&)>& tell,
                           const std::function<void(const std::string&, double)>& still_runs = {});

}  // namespace opgrade
