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

/// Selects submissions. An empty field selects all. The fields describe the newest grading that
/// counts; a grader fault only if there is no other grading.
struct RejudgeFilter {
  std::string verdict;    ///< id of an outcome
  std::string student;    ///< logins or ids, separated by commas, semicolons or blanks; a team's
                          ///< submission has each of its members
  std::string machine;    ///< a part of the machine's name
  std::string version;    ///< a version of opgrade, or its beginning
  bool outdated = false;  ///< only gradings whose rules may give other points than the current ones
  bool open = false;      ///< only gradings with points that are not decided
  bool final = false;     ///< all submissions that count, for the final timing: see kFinalTiming
};

struct RejudgeOrder {
  RejudgeFilter filter;
  std::string config;  ///< the config's name as staff wrote it
  int repeat = 1;      ///< odd; the median of these gradings counts
  std::string who, reason;
  std::set<std::int64_t> in_work;  ///< submissions that are being graded now; they are left out
};

/// Records which submissions are graded again, with the numbers of their attempts. The cases at the
/// deadline run if the owner can hand in nothing more, and always for the final timing. Waits until
/// no other grading of the course runs. Throws UsageError if the filter leaves none, or names a
/// student whom the roster lacks.
Rejudge begin_rejudge(const CourseFolder& folder, Store& store, const Assignment& assignment,
                      const Rules& rules, const RejudgeOrder& order,
                      const CourseOptions& options = {});

/// begin_rejudge() for a process that holds the course's lock while it grades.
Rejudge begin_rejudge_within_lock(const CourseFolder& folder, Store& store,
                                  const Assignment& assignment, const Rules& rules,
                                  const RejudgeOrder& order);

/// Makes the gradings that the rejudge still needs, and repeats those with grader faults. Waits
/// until no other grading of the course runs. Repeat the call after an interrupt. Throws UsageError
/// if the rejudge is decided or `rules` have another config.
CourseRun run_rejudge(const CourseFolder& folder, Store& store, const Rejudge& rejudge,
                      const Rules& rules, Executor& executor, const CourseOptions& options = {});

/// By archive: earlier gradings whose cases a rejudge for new rules need not all repeat. They were
/// made by this program, count now, and the config of each was stored. Empty for other rejudges,
/// because these repeat all runs.
std::map<std::filesystem::path, Attempt> earlier_results(const CourseFolder& folder,
                                                         const Store& store,
                                                         const Assignment& assignment,
                                                         const Rejudge& rejudge);

/// Reads one of the earlier_results() with its config; nullopt if a file is missing or has changed.
std::optional<EarlierRun> earlier_run(const CourseFolder& folder, const Attempt& was,
                                      const Config& config);

/// What a rejudge runs again: "40 submissions: at least 1 of 6 cases are run again: cpu/random".
/// Compares only the configs: the earlier outcomes and machines are compared when the rejudge runs.
std::vector<std::string> runs_again(const CourseFolder& folder, const Store& store,
                                    const Assignment& assignment, const Rejudge& rejudge,
                                    const Config& config);

/// True if the rejudge repeats no case of some submissions, because only their points change.
bool rescores(const CourseFolder& folder, const Store& store, const Assignment& assignment,
              const Rejudge& rejudge, const Config& config);

/// Throws UsageError if the rejudge cannot be applied: gradings are missing, or its config is not
/// the current one, which has `config_sha256`.
void require_applicable(const CourseFolder& folder, const Store& store, const Rejudge& rejudge,
                        const std::string& config_sha256);

/// Applies or cancels a rejudge. The tasks of a cancelled one that run on Slurm are cancelled.
/// Throws UsageError if it is already decided, and Error if Slurm does not answer.
void decide(const CourseFolder& folder, Store& store, const Rejudge& rejudge, bool apply, Moment at,
            const std::string& who, const std::function<Slurm()>& slurm = slurm_commands);

/// The number of gradings that a rejudge needs, and how many are still to be made.
struct GradingCount {
  std::size_t all = 0, open = 0;
};
GradingCount gradings_of(const Store& store, const Rejudge& rejudge);

/// A student's grade before and after a rejudge: its points and state in words.
struct GradeChange {
  const Student* student = nullptr;
  std::string before, after;
};

/// A submission whose points an applied rejudge changed.
struct RegradedSubmission {
  Submission submission;
  std::string text;  ///< see Regraded::text(); for late work from the points of late work
};
std::vector<RegradedSubmission> changed_by(const CourseFolder& folder, const Store& store,
                                           const Assignment& assignment, const Rejudge& rejudge);

/// The grades that applying the rejudge would change. `before` are the facts of the current config,
/// `after` those of the rejudge's.
std::vector<GradeChange> preview(const CourseFolder& folder, const Store& store,
                                 const Assignment& assignment, const Rejudge& rejudge,
                                 const AssignmentFacts& before, const AssignmentFacts& after);

}  // namespace opgrade::course
