/// Cases that are not run again when the rules change: if only points change, nothing runs.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// A grading of the same submission by other rules.
struct EarlierRun {
  Config config;
  Grade grade;
};

/// The ids of a stage's cases that two configs run alike, on this device. The configs may differ
/// only in what is known to leave a run as it is: points, names, what is hidden or advice, other
/// cases. Every other key counts as a difference, also one that concerns only other cases, and so
/// does a model whose files are not opgrade's own.
std::set<std::string> same_runs(const Config& before, const Config& now, const StageConfig& stage,
                                Device device);

/// The cases of a stage, and how many of them are not run again.
struct CasesAgain {
  std::size_t all = 0;
  std::vector<std::string> changed;
};
/// Counts over all stages. `emulated`: cuda stages ran on the emulated device.
CasesAgain cases_again(const Config& before, const Config& now, bool emulated);

/// True if a run of now would differ only in the config: it is by the same program on the same
/// machine, of the same files, with the same random inputs. `now` is a grade that is still without
/// stages.
bool is_same_but_config(const Grade& earlier, const Grade& now);

/// The stage of an earlier grade whose cases can stand in for a run: no points, and only the cases
/// that need not run. Returns nullopt if there are none. A stage that two configs run alike is
/// taken whole, also if it ran out of time. Of other stages only cases that passed are taken,
/// because a failure may be the work of a neighbour. Nothing undecided is taken, and no case
/// without the Op Time that its points or the ranking need. The cases of networks on the emulated
/// device are all taken, or none.
std::optional<StageReport> taken_stage(const EarlierRun& earlier, const Config& now,
                                       const StageConfig& stage, Device device);

}  // namespace opgrade
