/// Cases that are not run again when the rules change: another number of points alone runs nothing.
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

/// The ids of a stage's cases that two configs run alike, on this device. Only what is known to
/// leave a run as it is may differ: points, names, what is hidden or advice, other cases. Every
/// other key counts as a difference, also one that concerns other cases alone, and so does a model
/// whose files are not opgrade's own.
std::set<std::string> same_runs(const Config& before, const Config& now, const StageConfig& stage,
                                Device device);

/// The cases of a stage, and how many of them are not run again.
struct CasesAgain {
  std::size_t all = 0;
  std::vector<std::string> changed;
};
/// For all stages. `emulated`: cuda stages ran on the emulated device.
CasesAgain cases_again(const Config& before, const Config& now, bool emulated);

/// True where a run of now would be the same in all but the config: by the same program on the same
/// machine, of the same files, with the same random inputs. `now` is a grade that is still without
/// stages.
bool is_same_but_config(const Grade& earlier, const Grade& now);

/// The stage of an earlier grade of which cases can stand in for a run: no points, and only the
/// cases that need not run. Nothing where there are none. A stage that two configs run alike is
/// taken whole, also where it ran out of time; of others only cases that passed, since a failure
/// may be the work of a neighbour. Nothing undecided is taken, and no case without the Op Time that
/// its points or the ranking need. Of the emulated device the cases of networks are taken all or
/// none.
std::optional<StageReport> taken_stage(const EarlierRun& earlier, const Config& now,
                                       const StageConfig& stage, Device device);

}  // namespace opgrade
