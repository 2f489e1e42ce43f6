#include "grader/course/gradings/grade_assignment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "grader/base/core/fd.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/standing.hpp"
#include "grader/course/gradings/job_order.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/results/results_lock.hpp"
#include "grader/course/results/same_files.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/grading/pipeline/reference_build.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/report/fields/json.hpp"
#include "grader/report/words/class_warning.hpp"

namespace opgrade::course {

namespace fs = std::filesystem;

std::vector<Submission> submissions_that_count(const CourseFolder& folder, const Store& store,
                                               const Assignment& assignment,
                                               std::vector<std::string>* unknown) {
  const auto submissions = store.submissions(assignment.name);
  std::map<std::string, std::vector<const Submission*>> by_owner;
  for (const auto& s : submissions) by_owner[s.owner].push_back(&s);
  std::map<std::string, std::vector<Change>> changes;
  for (auto& change : store.changes())
    if (change.assignment == assignment.name) changes[change.student].push_back(std::move(change));
  std::vector<Submission> all;
  DueDates due(folder, store);
  for (const Owner& owner : folder.roster.owners(assignment)) {
    const auto found = by_owner.find(owner.key);
    if (found == by_owner.end()) continue;
    // Staff's choice may differ between the members, each of whom has an entry in the gradebook.
    std::set<std::optional<std::int64_t>> choices;
    for (const Student* const member : owner.members) {
      const Change* const chosen = choice_of_staff(changes[member->login]);
      choices.insert(chosen == nullptr ? std::nullopt : chosen->submission);
    }
    std::map<std::int64_t, Submission> graded;
    for (const auto& chosen : choices)
      for (const auto& standing :
           standings(folder.course, assignment, due.of(owner, assignment), found->second, chosen))
        if (standing.graded) graded.emplace(standing.submission.id, standing.submission);
    for (auto& [id, submission] : graded) all.push_back(std::move(submission));
    by_owner.erase(found);
  }
  if (unknown != nullptr)
    for (const auto& [owner, submissions_of] : by_owner) unknown->push_back(owner);
  return all;
}

int gradings_missing(const std::vector<Attempt>& attempts, const Assignment& assignment,
                     const Rules& rules, bool in_work) {
  const auto now = in_work ? std::nullopt : std::optional(rules);
  if (result_of(attempts, assignment.counts.of, now).earned) return 0;
  const auto made = std::ranges::count_if(attempts, [&](const Attempt& a) {
    return a.outcome != Outcome::grader_fault && a.counts &&
           a.config_sha256 == rules.config_sha256 && a.version == rules.version;
  });
  // At least one: if gradings have several rules, only those with the rules of the last one count.
  return std::max(assignment.counts.of - static_cast<int>(made), 1);
}

std::optional<Grade> grade_as_copy(const CourseFolder& folder, Store& store,
                                   const Submission& submission, const GradingJob& job) {
  const auto first = store.attempt_of_copy(
      submission, {submission.id, job.config_sha256, job.version, job.number});
  if (!first || !difference(folder.path / first->result, first->result_sha256).empty() ||
      !difference(job.file, job.sha256).empty())
    return {};
  auto grade = grade_of_copy(report::grade_from_json(text_of_file(folder.path / first->result)),
                             result_name(job.owner), job.file);
  if (!grade) return {};
  write_new_file(job.result, report_json(*grade), job.root);
  return collect(store, folder.path, submission, job);
}

void grade_jobs(const CourseFolder& folder, Store& store, const std::string& purpose,
                const std::vector<GradingJob>& jobs, Executor& executor,
                const CourseOptions& options, CourseRun& run) {
  const auto submissions = store.submissions_by_id();
  Tally tally(jobs.size(), options.keep_going, options.progress);
  const auto name = [](const GradingJob& job) { return job.result.string(); };
  const auto count = [&](const GradingJob& job, const Grade& grade) {
    ++run.graded;
    if (grade.outcome == Outcome::grader_fault) ++run.faults;
    tally.end(name(job), grade);
  };
  const auto execute = [&](const std::vector<GradingJob>& some) {
    if (some.empty()) return;
    std::ranges::move(executor.run(
                          purpose, some, [&](const GradingJob& job) { tally.begin(name(job)); },
                          [&](const GradingJob& job) {
                            count(job,
                                  collect(store, folder.path, submissions.at(job.submission), job));
                          }),
                      std::back_inserter(run.undone));
  };
  // Records the jobs that get the grade of a copy, and returns the others.
  const auto without_copies = [&](const std::vector<GradingJob>& some) {
    std::vector<GradingJob> others;
    for (const GradingJob& job : some) {
      interrupt::check();
      if (const auto grade = grade_as_copy(folder, store, submissions.at(job.submission), job)) {
        tally.begin(name(job));
        count(job, *grade);
      } else {
        others.push_back(job);
      }
    }
    return others;
  };
  std::map<std::int64_t, int> gradings;  // by submission
  // Equal files are graded once in each assignment.
  std::set<std::tuple<std::string, std::string, int, bool>> contents;
  std::vector<GradingJob> firsts, copies;
  for (const GradingJob& job : in_turns(without_copies(jobs), earlier_seconds(folder, store))) {
    const bool is_first = contents
                              .emplace(submissions.at(job.submission).assignment, job.sha256,
                                       gradings[job.submission]++, job.at_deadline)
                              .second;
    (is_first ? firsts : copies).push_back(job);
  }
  execute(firsts);
  execute(without_copies(copies));
}

CourseRun grade_assignment(const CourseFolder& folder, Store& store, const Assignment& assignment,
                           const Rules& rules, Executor& executor, const CourseOptions& options) {
  const ResultsLock lock(folder.path);
  remove_unfinished(folder.path, kResults);
  record_found_results(store, folder.path);
  CourseRun run;
  std::vector<GradingJob> jobs;
  // All first gradings come before any second one, so that an interrupt leaves the fewest
  // submissions without points.
  const std::set<std::int64_t> unfinished = store.unfinished();
  std::vector<std::vector<GradingJob>> rounds(static_cast<std::size_t>(assignment.counts.of));
  for (const Submission& submission :
       submissions_that_count(folder, store, assignment, &run.unknown)) {
    const int missing = gradings_missing(store.attempts(submission.id), assignment, rules,
                                         unfinished.contains(submission.id));
    if (missing == 0) ++run.had;
    int number = store.next_number(submission.id, rules.config_sha256, rules.version);
    for (std::size_t round = rounds.size() - static_cast<std::size_t>(missing);
         round < rounds.size(); ++round) {
      rounds[round].push_back(
          job_for(folder.path, submission, rules.config_sha256, rules.version, number++));
    }
  }
  for (auto& round : rounds) std::ranges::move(round, std::back_inserter(jobs));
  grade_jobs(folder, store, assignment.name, jobs, executor, options, run);
  return run;
}

std::string config_warning(const Store& store, const std::string& assignment) {
  const std::string warning = report::class_warning(store.last_outcomes(assignment));
  return warning.empty() ? warning : assignment + ": " + warning;
}

namespace {

fs::path reference_file(const fs::path& folder, const Rules& rules) {
  return folder / kResults / "configs" /
         fmt::format("{}.{}.reference.json", rules.config_sha256, result_name(rules.version));
}

/// Locks the folder itself, so that no lock file remains. Returns false if another process holds
/// the lock.
bool lock(const fs::path& folder, Fd& held) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  held = Fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A file system without such locks only costs a second grading.
  return ::flock(held.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

}  // namespace

void check_reference(const fs::path& folder, const Config& config, const Rules& rules,
                     const GradeOne& grade, const Listener& listen) {
  const fs::path file = reference_file(folder, rules);
  std::error_code ignored;
  if (fs::exists(file, ignored)) return;
  std::optional<WholeSolution> solution;
  try {
    solution.emplace(config);
  } catch (const std::exception&) {
    return;  // The submissions' own gradings say what the machine lacks.
  }
  if (!solution->exists()) return;
  Fd held;
  if (!lock(file.parent_path(), held)) return;
  listen(events::ReferenceGraded{});
  Outcome outcome = Outcome::grader_fault;
  try {
    // Staff learn before the deadline what is wrong with the cases that run then.
    const Grade made = grade(solution->path(), "reference solution", GradedAt::deadline);
    if (made.outcome != Outcome::grader_fault) write_new_file(file, report_json(made), folder);
    outcome = made.outcome;
  } catch (const interrupt::Interrupted&) {
    listen(events::ReferenceGraded{Outcome::not_run});
    throw;
  } catch (const std::exception&) {
    // A failure of the grader says nothing about the config, and the submissions' own gradings
    // report it.
  }
  listen(events::ReferenceGraded{outcome});
}

std::string reference_warning(const fs::path& folder, const Assignment& assignment,
                              const Rules& rules) {
  const auto text = read_text_file(reference_file(folder, rules));
  if (!text) return {};
  const std::string warning =
      report::reference_warning(report::grade_from_json(*text), assignment.config);
  return warning.empty() ? warning : assignment.name + ": " + warning;
}

}  // namespace opgrade::course
