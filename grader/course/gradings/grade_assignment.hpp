/// Grades the submissions of an assignment that have no result, and finds signs that its config is
/// wrong.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/events.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradings/executor.hpp"
#include "grader/course/gradings/rules.hpp"
#include "grader/course/results/tally.hpp"
#include "grader/course/store/store.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade::course {

/// The submissions of each owner that can count. `unknown` gets the owners whom the roster lacks.
std::vector<Submission> submissions_that_count(const CourseFolder& folder, const Store& store,
                                               const Assignment& assignment,
                                               std::vector<std::string>* unknown = nullptr);

/// The number of gradings that a submission still needs by these rules: 0 if it has a result by any
/// rules, because only a rejudge replaces a result. `attempts` are the submission's, by their
/// place. `in_work`: an interrupt may have ended the submission's gradings early.
int gradings_missing(const std::vector<Attempt>& attempts, const Assignment& assignment,
                     const Rules& rules, bool in_work = false);

struct CourseOptions {
  bool within_lock = false;  ///< the caller already holds the course's lock
  bool keep_going = false;   ///< goes on even if the grader fails on each of the first submissions
  std::function<void(const std::string&)> log = [](const std::string&) {};
  ProgressListener progress = [](const GradingProgress&) {};
};

struct CourseRun {
  std::size_t had = 0;     ///< submissions that had a result
  std::size_t graded = 0;  ///< new gradings, including faults
  std::size_t faults = 0;  ///< grader faults: the next run grades these again
  /// Owners whom the roster lacks; their submissions are not graded.
  std::vector<std::string> unknown;
  std::vector<Undone> undone;  ///< jobs without a result: the next run grades these
};

/// If another submission with the same files was graded, records a copy of that grade as the result
/// of the job, and returns it. nullopt if there is no such grade, or if a file is damaged.
std::optional<Grade> grade_as_copy(const CourseFolder& folder, Store& store,
                                   const Submission& submission, const GradingJob& job);

/// Runs the jobs and records each result as soon as it is there. If several jobs have the same
/// files, one runs, and the others get its grade. `purpose` is passed to the executor. The caller
/// holds the course's lock. Throws Error if the grader fails on each of the first kFaultsToStop
/// jobs, and throws as Executor::run() does.
void grade_jobs(const CourseFolder& folder, Store& store, const std::string& purpose,
                const std::vector<GradingJob>& jobs, Executor& executor,
                const CourseOptions& options, CourseRun& run);

/// Each result is recorded as soon as it exists, so an interrupt or a kill loses only the gradings
/// in progress. Only this process records results, wherever the jobs run. Throws Error if another
/// process grades this course, and throws as grade_jobs() does.
CourseRun grade_assignment(const CourseFolder& folder, Store& store, const Assignment& assignment,
                           const Rules& rules, Executor& executor,
                           const CourseOptions& options = {});

// Signs that an assignment's config is wrong, not the submissions. For staff alone.

/// report::class_warning() over the last grading that counts of each submission; empty if there is
/// no warning.
std::string config_warning(const Store& store, const std::string& assignment);

/// Grades the reference solution with all cases, once for each config and program. The grade is
/// stored below the course folder, unless the grader failed, which is no error here. Does nothing
/// if an exercise has no solution, or while another process grades it. `listen` gets an event at
/// the begin and at the end. Throws Interrupted.
void check_reference(
    const std::filesystem::path& folder, const Config& config, const Rules& rules,
    const GradeOne& grade, const Listener& listen = [](const Event&) {});

/// report::reference_warning() about the stored grade of the reference solution; empty if none is
/// stored.
std::string reference_warning(const std::filesystem::path& folder, const Assignment& assignment,
                              const Rules& rules);

}  // namespace opgrade::course
