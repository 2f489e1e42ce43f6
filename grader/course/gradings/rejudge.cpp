#include "grader/course/gradings/rejudge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/course/gradebook/standing.hpp"
#include "grader/course/results/results_lock.hpp"
#include "grader/course/slurm/slurm_executor.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/report/fields/json.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/load.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;

bool passes(const RejudgeFilter& filter, const Attempt& newest, const Rules& now) {
  return (filter.verdict.empty() || words(newest.outcome).id == filter.verdict) &&
         newest.machine.find(filter.machine) != std::string::npos &&
         newest.version.starts_with(filter.version) && (!filter.open || newest.open_points > 0) &&
         (!filter.outdated || change_between(rules_of(newest), now).may_move_points());
}

std::string filter_words(const RejudgeFilter& filter) {
  if (filter.final) return kFinalTiming;
  std::vector<std::string> parts;
  for (const auto& [name, value] : {std::pair{"verdict", &filter.verdict},
                                    {"student", &filter.student},
                                    {"machine", &filter.machine},
                                    {"version", &filter.version}})
    if (!value->empty()) parts.push_back(fmt::format("{} {}", name, *value));
  if (filter.outdated) parts.emplace_back("graded by other rules");
  if (filter.open) parts.emplace_back("with open points");
  return parts.empty() ? "all that count" : fmt::format("{}", fmt::join(parts, ", "));
}

/// True if the order is about changed rules only. Other orders question the runs themselves, so all
/// cases are repeated.
bool is_for_new_rules(const RejudgeOrder& order) {
  const RejudgeFilter& filter = order.filter;
  return order.repeat == 1 && filter.outdated && filter.verdict.empty() && filter.machine.empty() &&
         filter.version.empty() && !filter.open;
}

/// The names in RejudgeFilter::student.
std::vector<std::string> students_of(const RejudgeFilter& filter) {
  std::string names = filter.student;
  std::ranges::replace_if(
      names, [](char c) { return std::string_view(",;\t\r\n").find(c) != std::string_view::npos; },
      ' ');
  auto all = split(names, ' ');
  std::erase(all, "");
  return all;
}

/// The submissions that count and that the filter takes.
std::vector<Submission> filtered(const CourseFolder& folder, const Store& store,
                                 const Assignment& assignment, const RejudgeFilter& filter,
                                 const Rules& now) {
  std::set<std::string> wanted;
  for (const std::string& name : students_of(filter)) {
    const Student* const student = folder.roster.find(name);
    if (student == nullptr)
      throw UsageError(fmt::format("the roster has no '{}'", printable_line(name, 60)),
                       "name logins or ids of roster.csv");
    wanted.insert(folder.roster.owner_of(*student, assignment).key);
  }
  std::vector<Submission> all;
  auto attempts_of = store.attempts_of(assignment.name);
  for (const Submission& submission : submissions_that_count(folder, store, assignment)) {
    if (!filter.student.empty() && !wanted.contains(submission.owner)) continue;
    const auto& attempts = attempts_of[submission.id];
    const auto is_result = [](const Attempt& a) {
      return a.counts && a.outcome != Outcome::grader_fault;
    };
    auto newest = std::find_if(attempts.rbegin(), attempts.rend(), is_result);
    if (newest == attempts.rend())  // there are only faults
      newest = std::find_if(attempts.rbegin(), attempts.rend(), std::mem_fn(&Attempt::counts));
    if (newest != attempts.rend() && passes(filter, *newest, now)) all.push_back(submission);
  }
  return all;
}

/// The owners who can hand in nothing more. For others, a rejudge with the cases at the deadline
/// would reveal what they still work on.
std::set<std::string> ended_owners(const CourseFolder& folder, const Store& store,
                                   const Assignment& assignment, Moment now) {
  std::set<std::string> keys;
  DueDates due(folder, store);
  for (const Owner& owner : folder.roster.owners(assignment))
    if (now > last_moment(*folder.course.zone, due.of(owner, assignment))) keys.insert(owner.key);
  return keys;
}

/// Waits until no other grading of the course runs. Throws Interrupted.
ResultsLock wait_for_results(const CourseFolder& folder,
                             const std::function<void(const std::string&)>& log) {
  bool told = false;
  return ResultsLock(folder.path, [&](const std::string& holder) {
    if (!std::exchange(told, true)) log("waiting for another grading of the course: " + holder);
    interrupt::check();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return true;
  });
}

/// The purpose for Executor::run().
std::string purpose_of(const Rejudge& rejudge) {
  return fmt::format("{}.rejudge-{}", rejudge.assignment, rejudge.id);
}

}  // namespace

Rejudge begin_rejudge(const CourseFolder& folder, Store& store, const Assignment& assignment,
                      const Rules& rules, const RejudgeOrder& order, const CourseOptions& options) {
  const ResultsLock lock = wait_for_results(folder, options.log);
  // A result file without a row also uses a number, so its row is added first.
  remove_unfinished(folder.path, kResults);
  record_found_results(store, folder.path);
  return begin_rejudge_within_lock(folder, store, assignment, rules, order);
}

Rejudge begin_rejudge_within_lock(const CourseFolder& folder, Store& store,
                                  const Assignment& assignment, const Rules& rules,
                                  const RejudgeOrder& order) {
  std::vector<RejudgeJob> jobs;
  const Moment now = this_second();
  const auto ended = ended_owners(folder, store, assignment, now);
  for (const Submission& s : filtered(folder, store, assignment, order.filter, rules)) {
    if (order.in_work.contains(s.id)) continue;
    const bool at_deadline = order.filter.final || ended.contains(s.owner);
    const int first = store.next_number(s.id, rules.config_sha256, rules.version);
    for (int i = 0; i < order.repeat; ++i)
      jobs.push_back({s.id, rules.config_sha256, rules.version, first + i, at_deadline});
  }
  if (jobs.empty())
    throw UsageError(fmt::format("no graded submission of {} passes the filter: {}",
                                 assignment.name, filter_words(order.filter)),
                     "opgrade course gradebook shows what is graded");
  Rejudge rejudge{0,
                  assignment.name,
                  order.config,
                  rules.config_sha256,
                  order.repeat,
                  filter_words(order.filter),
                  now,
                  order.who,
                  order.reason,
                  is_for_new_rules(order)};
  store.begin(rejudge, jobs);
  return rejudge;
}

CourseRun run_rejudge(const CourseFolder& folder, Store& store, const Rejudge& rejudge,
                      const Rules& rules, Executor& executor, const CourseOptions& options) {
  if (rejudge.state != Rejudge::State::open)
    throw UsageError(fmt::format("rejudge {} is {}", rejudge.id, name_of(rejudge.state)),
                     "begin a new one");
  if (rejudge.config_sha256 != rules.config_sha256)
    throw UsageError(
        fmt::format("rejudge {} was begun with another content of {}", rejudge.id, rejudge.config),
        "cancel it and begin a new one");
  std::optional<ResultsLock> lock;
  if (!options.within_lock) {
    lock.emplace(wait_for_results(folder, options.log));
    remove_unfinished(folder.path, kResults);
    record_found_results(store, folder.path);
  }
  std::set<std::tuple<std::int64_t, std::string, int>> made;
  for (const Attempt& a : store.attempts())
    if (a.rejudge == rejudge.id) made.emplace(a.submission, a.version, a.number);
  auto good = store.good_gradings(rejudge.id);
  std::vector<RejudgeJob> keys, added;
  std::map<std::int64_t, bool> at_deadline;  // by submission, as it was decided at the beginning
  for (const RejudgeJob& key : store.rejudge_jobs(rejudge.id)) {
    at_deadline[key.submission] = key.at_deadline;
    // Numbers that an older program got before an interrupt stay unused.
    if (key.version != rules.version || made.contains({key.submission, key.version, key.number}))
      continue;
    if (good[key.submission] >= rejudge.repeat) continue;
    ++good[key.submission];
    keys.push_back(key);
  }
  for (const auto& [submission, count] : good) {
    const int first = store.next_number(submission, rules.config_sha256, rules.version);
    for (int i = 0; i < rejudge.repeat - count; ++i)
      added.push_back(
          {submission, rules.config_sha256, rules.version, first + i, at_deadline[submission]});
  }
  store.add_jobs(rejudge.id, added);
  std::ranges::copy(added, std::back_inserter(keys));
  const auto submissions = store.submissions_by_id();
  // Submissions take turns, so that none has all its gradings while the machine was cool.
  std::map<std::int64_t, int> turns;
  std::vector<std::pair<int, RejudgeJob>> in_turn;
  for (RejudgeJob& key : keys) in_turn.emplace_back(turns[key.submission]++, std::move(key));
  std::ranges::stable_sort(in_turn, {}, [](const auto& one) { return one.first; });
  std::vector<GradingJob> jobs;
  for (const auto& [turn, key] : in_turn) {
    jobs.push_back(job_for(folder.path, submissions.at(key.submission), key.config_sha256,
                           key.version, key.number));
    jobs.back().at_deadline = key.at_deadline;
  }
  CourseRun run;
  grade_jobs(folder, store, purpose_of(rejudge), jobs, executor, options, run);
  return run;
}

std::map<fs::path, Attempt> earlier_results(const CourseFolder& folder, const Store& store,
                                            const Assignment& assignment, const Rejudge& rejudge) {
  std::map<fs::path, Attempt> earlier;
  if (!rejudge.changed_cases) return earlier;
  const auto submissions = store.submissions_by_id(assignment.name);
  auto attempts_of = store.attempts_of(assignment.name);
  for (const RejudgeJob& job : store.rejudge_jobs(rejudge.id)) {
    const Result result = result_of(attempts_of[job.submission], assignment.counts.of);
    if (!result.earned) continue;
    const Attempt& was = result.decisive();
    if (was.config_sha256 != rejudge.config_sha256 && was.version == job.version &&
        !kept_config(folder.path, was.config_sha256).empty())
      earlier.emplace(folder.path / submissions.at(job.submission).file, was);
  }
  return earlier;
}

std::optional<EarlierRun> earlier_run(const CourseFolder& folder, const Attempt& was,
                                      const Config& config) {
  const fs::path report = folder.path / was.result;
  const std::string text = kept_config(folder.path, was.config_sha256);
  if (sha256_of_text(text) != was.config_sha256 || !difference(report, was.result_sha256).empty())
    return std::nullopt;
  LoadedConfig loaded = parse_config(text, was.config_sha256, folder_tasks(config));
  if (!loaded.problems.empty()) return std::nullopt;
  return EarlierRun{std::move(loaded.config), report::grade_from_json(text_of_file(report))};
}

namespace {

CasesAgain cases_again(const CourseFolder& folder, const Attempt& was, const Config& config) {
  const auto before =
      parse_config(kept_config(folder.path, was.config_sha256), "", folder_tasks(config)).config;
  return cases_again(before, config,
                     was.device.find(name_of(Device::emulated)) != std::string::npos);
}

}  // namespace

bool rescores(const CourseFolder& folder, const Store& store, const Assignment& assignment,
              const Rejudge& rejudge, const Config& config) {
  const auto earlier = earlier_results(folder, store, assignment, rejudge);
  return std::ranges::any_of(earlier, [&](const auto& one) {
    return cases_again(folder, one.second, config).changed.empty();
  });
}

std::vector<std::string> runs_again(const CourseFolder& folder, const Store& store,
                                    const Assignment& assignment, const Rejudge& rejudge,
                                    const Config& config) {
  std::map<std::string, std::int64_t> groups;  // submissions, by what runs
  std::set<std::int64_t> others;
  for (const RejudgeJob& job : store.rejudge_jobs(rejudge.id)) others.insert(job.submission);
  for (const auto& [file, was] : earlier_results(folder, store, assignment, rejudge)) {
    const CasesAgain again = cases_again(folder, was, config);
    if (again.changed.size() == again.all) continue;
    others.erase(was.submission);
    ++groups[again.changed.empty()
                 ? "the stored results are scored anew; only cases without a verdict or of another "
                   "machine are run again"
                 : fmt::format("at least {} of {} cases are run again: {}", again.changed.size(),
                               again.all, fmt::join(again.changed, ", "))];
  }
  if (!others.empty()) groups["every case is run again"] = static_cast<std::int64_t>(others.size());
  std::vector<std::string> lines;
  for (const auto& [text, count] : groups)
    lines.push_back(fmt::format("{}: {}", counted(count, "submission"), text));
  return lines;
}

void require_applicable(const CourseFolder& folder, const Store& store, const Rejudge& rejudge,
                        const std::string& config_sha256) {
  if (const auto open = gradings_of(store, rejudge).open; open > 0)
    throw UsageError(
        fmt::format("rejudge {} still needs {}", rejudge.id, counted(open, "grading")),
        fmt::format("opgrade course rejudge {} {} --number {} makes the rest, as the service does",
                    folder.path.string(), rejudge.assignment, rejudge.id));
  if (config_sha256 != rejudge.config_sha256)
    throw UsageError(fmt::format("rejudge {} tried {}, and course.yaml names another config for {}",
                                 rejudge.id, rejudge.config, rejudge.assignment),
                     "name that config in course.yaml first, so that later submissions get it too, "
                     "or cancel the rejudge");
}

void decide(const CourseFolder& folder, Store& store, const Rejudge& rejudge, bool apply, Moment at,
            const std::string& who, const std::function<Slurm()>& slurm) {
  const Assignment* const a = folder.course.find(rejudge.assignment);
  if (!apply && rejudge.state == Rejudge::State::open && a != nullptr && !a->slurm.shared.empty())
    cancel_runs(
        a->slurm.shared, course_name(folder.path),
        [&](const std::string& purpose) { return purpose == purpose_of(rejudge); }, slurm);
  if (!store.decide(rejudge.id, apply, at, who))
    throw UsageError(fmt::format("rejudge {} is decided already", rejudge.id), "begin a new one");
}

GradingCount gradings_of(const Store& store, const Rejudge& rejudge) {
  GradingCount gradings;
  for (const auto& [submission, count] : store.good_gradings(rejudge.id)) {
    gradings.all += static_cast<std::size_t>(rejudge.repeat);
    gradings.open += static_cast<std::size_t>(std::max(rejudge.repeat - count, 0));
  }
  return gradings;
}

namespace {

/// Replaces the points of attempts of late submissions by their points of late work.
void take_late_points(std::map<std::int64_t, std::vector<Attempt>>& attempts_of,
                      const CourseFolder& folder, const Store& store,
                      const Assignment& assignment) {
  const auto differs = [](const auto& entry) {
    return std::ranges::any_of(entry.second,
                               [](const Attempt& a) { return a.late_points.has_value(); });
  };
  if (std::ranges::none_of(attempts_of, differs)) return;
  const Gradebook book(folder, store, {{assignment.name, {}}});
  for (const Student& student : folder.roster.students)
    for (const GradedSubmission& graded : book.entry(student, assignment).submissions)
      if (graded.standing.late.days > 0)
        attempts_of[graded.standing.submission.id] = graded.attempts;
}

}  // namespace

std::vector<RegradedSubmission> changed_by(const CourseFolder& folder, const Store& store,
                                           const Assignment& assignment, const Rejudge& rejudge) {
  std::vector<RegradedSubmission> changed;
  auto attempts_of = store.attempts_of(assignment.name);
  take_late_points(attempts_of, folder, store, assignment);
  for (const Submission& submission : store.submissions(assignment.name)) {
    const auto& attempts = attempts_of[submission.id];
    if (std::ranges::find(attempts, rejudge.id, &Attempt::rejudge) == attempts.end()) continue;
    if (auto text = regraded_by(attempts, rejudge.id, assignment.counts.of).text(); !text.empty())
      changed.push_back({submission, std::move(text)});
  }
  return changed;
}

std::vector<GradeChange> preview(const CourseFolder& folder, const Store& store,
                                 const Assignment& assignment, const Rejudge& rejudge,
                                 const AssignmentFacts& before, const AssignmentFacts& after) {
  const Gradebook now(folder, store, {{assignment.name, before}});
  const Gradebook then(folder, store, {{assignment.name, after}}, {.as_if_applied = rejudge.id});
  std::vector<GradeChange> changes;
  for (const Student& student : folder.roster.students) {
    std::string was = grade_text(now.entry(student, assignment));
    std::string will_be = grade_text(then.entry(student, assignment));
    if (was != will_be) changes.push_back({&student, std::move(was), std::move(will_be)});
  }
  return changes;
}

}  // namespace opgrade::course
