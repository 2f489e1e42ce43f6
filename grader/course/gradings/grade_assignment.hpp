/// Grades the submissions of an assignment that have no result, and looks whether its config is
/// right.
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

/// The submissions of each owner that count. `unknown` gets the owners that the roster lacks.
std::vector<Submission> submissions_that_count(const CourseFolder& folder, const Store& store,
                                               const Assignment& assignment,
                                               std::vector<std::string>* unknown = nullptr);

/// Gradings that a submission needs by these rules: none where it has a result by whatever rules.
/// Another result is a rejudge's work. `attempts` are the submission's by their place. `in_work`:
/// they may be only those before an interrupt.
int gradings_missing(const std::vector<Attempt>& attempts, const Assignment& assignment,
                     const Rules& rules, bool in_work = false);

struct CourseOptions {
  bool within_lock = false;  ///< the caller of this process holds the course's lock
  bool keep_going = false;   ///< also when the grader fails on each of the first submissions
  std::function<void(const std::string&)> log = [](const std::string&) {};
  ProgressListener progress = [](const GradingProgress&) {};
};

struct CourseRun {
  std::size_t had = 0;               ///< submissions that had a result
  std::size_t graded = 0;            ///< new ones, faults among them
  std::size_t faults = 0;            ///< grader faults: the next run grades these again
  std::vector<std::string> unknown;  ///< owners that the roster lacks; nothing of them is graded
  std::vector<Undone> undone;        ///< no result: the next run grades these
};

/// The grade of a job whose files another submission has handed in, too, and got graded: a copy of
/// that grade, recorded. Nothing where there is none, or where `submission`'s own file is damaged.
std::optional<Grade> grade_as_copy(const CourseFolder& folder, Store& store,
                                   const Submission& submission, const GradingJob& job);

/// Runs the jobs and records each result as soon as it is there. Of several with the same files one
/// runs, and the others have its grade. `purpose` is the executor's. The
/// caller holds the course's lock. Throws Error when the grader fails on each of the first
/// kFaultsToStop, and as Executor::run() does.
void grade_jobs(const CourseFolder& folder, Store& store, const std::string& purpose,
                const std::vector<GradingJob>& jobs, Executor& executor,
                const CourseOptions& options, CourseRun& run);

/// Each result is in the store as soon as it is there, so an interrupt or a kill costs only what
/// was in work. This process alone writes the store, wherever the jobs run. Throws Error when
/// another process grades this course, and as grade_jobs() does.
CourseRun grade_assignment(const CourseFolder& folder, Store& store, const Assignment& assignment,
                           const Rules& rules, Executor& executor,
                           const CourseOptions& options = {});

// Signs that an assignment's config is wrong, not the submissions. For staff alone.

/// report::class_warning() over the last grading that counts of each submission; empty without one.
std::string config_warning(const Store& store, const std::string& assignment);

/// Grades the reference solution with all cases, once for each config and program: its grade is
/// kept below the course folder, unless the grader failed, which is no error here. Does nothing if
/// an exercise has no solution, or while another process grades it. `listen` gets its begin and its
/// end. Throws Interrupted.
void check_reference(
    const std::filesystem::path& folder, const Config& config, const Rules& rules,
    const GradeOne& grade, const Listener& listen = [](const Event&) {});

/// report::reference_warning() about that grade; empty where none is kept.
std::string reference_warning(const std::filesystem::path& folder, const Assignment& assignment,
                              const Rules& rules);

}  // namespace opgrade::course
