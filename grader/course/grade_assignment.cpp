#include "grader/course/grade_assignment.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "grader/course/gradebook.hpp"
#include "grader/course/result_files.hpp"
#include "grader/course/standing.hpp"
#include "grader/results/results_lock.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

/// The submissions that count.
std::vector<Submission> wanted(const CourseFolder& folder, const Store& store,
                               const Assignment& assignment, CourseRun& run) {
  const auto submissions = store.submissions(assignment.name);
  std::map<std::string, std::vector<const Submission*>> by_owner;
  for (const auto& s : submissions) by_owner[s.owner].push_back(&s);
  std::vector<Submission> all;
  DueDates due(folder, store);
  for (const Owner& owner : folder.roster.owners(assignment)) {
    const auto found = by_owner.find(owner.key);
    if (found == by_owner.end()) continue;
    for (const auto& standing :
         standings(folder.course, assignment, due.of(owner, assignment), found->second))
      if (standing.graded) all.push_back(standing.submission);
    by_owner.erase(found);
  }
  for (const auto& [owner, unknown] : by_owner) run.unknown.push_back(owner);
  return all;
}

}  // namespace

int gradings_missing(const std::vector<Attempt>& attempts, const Assignment& assignment,
                     const Rules& rules, bool in_work) {
  const auto now = in_work ? std::nullopt : std::optional(rules);
  if (result_of(attempts, assignment.counts.of, now).earned) return 0;
  const auto made = std::ranges::count_if(attempts, [&](const Attempt& a) {
    return a.outcome != Outcome::grader_fault && a.counts &&
           a.config_sha256 == rules.config_sha256 && a.version == rules.version;
  });
  // At least one: of gradings by several rules the last one's count.
  return std::max(assignment.counts.of - static_cast<int>(made), 1);
}

void grade_jobs(const CourseFolder& folder, Store& store, const std::string& purpose,
                const std::vector<GradingJob>& jobs, Executor& executor,
                const CourseOptions& options, CourseRun& run) {
  const auto submissions = store.submissions_by_id();
  Tally tally(jobs.size(), options.keep_going, options.progress);
  run.undone = executor.run(
      purpose, jobs, [&](const GradingJob& job) { tally.begin(job.result.string()); },
      [&](const GradingJob& job) {
        const Grade grade = collect(store, folder.path, submissions.at(job.submission), job);
        ++run.graded;
        if (grade.outcome == Outcome::grader_fault) ++run.faults;
        tally.end(job.result.string(), grade);
      });
}

CourseRun grade_assignment(const CourseFolder& folder, Store& store, const Assignment& assignment,
                           const Rules& rules, Executor& executor, const CourseOptions& options) {
  const ResultsLock lock(folder.path);
  remove_unfinished(folder.path, kResults);
  record_found_results(store, folder.path);
  CourseRun run;
  std::vector<GradingJob> jobs;
  // All first gradings before any second one: an interrupt then leaves the fewest without points.
  const std::set<std::int64_t> unfinished = store.unfinished();
  std::vector<std::vector<GradingJob>> rounds(static_cast<std::size_t>(assignment.counts.of));
  for (const Submission& submission : wanted(folder, store, assignment, run)) {
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

}  // namespace opgrade::course
