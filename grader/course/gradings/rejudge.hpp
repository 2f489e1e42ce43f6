/// Grades a set of submissions again, and shows each grade that would change before it counts.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/course/slurm/slurm.hpp"
#include "grader/grading/pipeline/earlier_run.hpp"

namespace opgrade::course {

/// Empty fields take all. They are about the newest grading that counts, a grader fault only where
/// there is no other.
struct RejudgeFilter {
  std::string verdict;    ///< id of an outcome
  std::string student;    ///< logins or ids, separated by commas, semicolons or blanks; a team's
                          ///< submission has each of its members
  std::string machine;    ///< a part of its name
  std::string version;    ///< of opgrade, or its beginning
  bool outdated = false;  ///< only those by rules that may give other points than those of now
  bool open = false;      ///< only those with points that are not decided
  bool final = false;     ///< all, as kFinalTiming
};

struct RejudgeOrder {
  RejudgeFilter filter;
  std::string config;  ///< as staff named it
  int repeat = 1;      ///< odd; the median of these gradings counts
  std::string who, reason;
  std::set<std::int64_t> in_work;  ///< submissions that are graded just now: left out
};

/// Records which submissions are graded again, with their numbers, and whether the cases at the
/// deadline run: if the owner can hand in nothing more, and always for the final timing. Waits for
/// another grading of the course. Throws UsageError if the filter leaves none, or names a student
/// whom the roster lacks.
Rejudge begin_rejudge(const CourseFolder& folder, Store& store, const Assignment& assignment,
                      const Rules& rules, const RejudgeOrder& order,
                      const CourseOptions& options = {});

/// The same for a process that holds the course's lock while it grades.
Rejudge begin_rejudge_within_lock(const CourseFolder& folder, Store& store,
                                  const Assignment& assignment, const Rules& rules,
                                  const RejudgeOrder& order);

/// Grades what the rejudge still needs; grader faults again. Waits for another grading of the
/// course. Repeat it after an interrupt. Throws UsageError where the rejudge is decided or `rules`
/// have another config.
CourseRun run_rejudge(const CourseFolder& folder, Store& store, const Rejudge& rejudge,
                      const Rules& rules, Executor& executor, const CourseOptions& options = {});

/// By archive: the gradings that a rejudge for new rules need not repeat case by case. They are by
/// this program, count now, and the config of each was kept. Empty for other rejudges, which doubt
/// the runs.
std::map<std::filesystem::path, Attempt> earlier_results(const CourseFolder& folder,
                                                         const Store& store,
                                                         const Assignment& assignment,
                                                         const Rejudge& rejudge);

/// Such a grading with its config; nothing where a file is missing or has changed.
std::optional<EarlierRun> earlier_run(const CourseFolder& folder, const Attempt& was,
                                      const Config& config);

/// What a rejudge runs again: "40 submissions: at least 1 of 6 cases are run again: cpu/random". By
/// the configs alone: the earlier outcomes and machines are compared when the rejudge runs.
std::vector<std::string> runs_again(const CourseFolder& folder, const Store& store,
                                    const Assignment& assignment, const Rejudge& rejudge,
                                    const Config& config);

/// True if such a rejudge runs no case of some submissions again: only their points change.
bool rescores(const CourseFolder& folder, const Store& store, const Assignment& assignment,
              const Rejudge& rejudge, const Config& config);

/// Throws UsageError where the rejudge cannot be applied: gradings are missing, or its config is
/// not that of now, which has `config_sha256`.
void require_applicable(const CourseFolder& folder, const Store& store, const Rejudge& rejudge,
                        const std::string& config_sha256);

/// Applies or cancels a rejudge. The tasks of a cancelled one that run on Slurm are cancelled.
/// Throws UsageError where it is decided already, and Error where Slurm does not answer.
void decide(const CourseFolder& folder, Store& store, const Rejudge& rejudge, bool apply, Moment at,
            const std::string& who, const std::function<Slurm()>& slurm = slurm_commands);

/// Gradings that a rejudge needs, and those of them that are still to be made.
struct GradingCount {
  std::size_t all = 0, open = 0;
};
GradingCount gradings_of(const Store& store, const Rejudge& rejudge);

/// A grade before and after; `before` and `after` say points and state in words.
struct GradeChange {
  const Student* student = nullptr;
  std::string before, after;
};

/// A submission whose points an applied rejudge changed.
struct RegradedSubmission {
  Submission submission;
  std::string text;  ///< as Regraded::text(); of late work by its points
};
std::vector<RegradedSubmission> changed_by(const CourseFolder& folder, const Store& store,
                                           const Assignment& assignment, const Rejudge& rejudge);

/// The grades that applying it would change. `facts` are those of its config.
std::vector<GradeChange> preview(const CourseFolder& folder, const Store& store,
                                 const Assignment& assignment, const Rejudge& rejudge,
                                 const AssignmentFacts& before, const AssignmentFacts& after);

}  // namespace opgrade::course
