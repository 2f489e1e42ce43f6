#include "grader/service/worker.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/app/selection.hpp"
#include "grader/core/error.hpp"
#include "grader/course/gradebook.hpp"
#include "grader/course/result_files.hpp"
#include "grader/report/view.hpp"
#include "grader/results/result_folder.hpp"
#include "grader/score/score_stage.hpp"

namespace opgrade::service {
namespace {

course::Moment this_moment() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

/// One event a case, as the student's report shows it.
void tell_cases(Queue& queue, std::int64_t submission, const Grade& grade) {
  const Grade shown = report::view_for(grade, report::Audience::student);
  for (const auto& stage : shown.stages) {
    if (stage.build.outcome != Outcome::passed && stage.build.outcome != Outcome::not_run)
      queue.say(submission, "case",
                fmt::format("{}: {}", stage.name, words(stage.build.outcome).text), this_moment());
    for (const auto& c : stage.cases)
      queue.say(submission, "case", fmt::format("{}: {}", c.id, words(c.outcome).text),
                this_moment());
  }
}

}  // namespace

LogFilter::LogFilter(const Config& config) {
  const Selection all(config, {});
  for (const StageConfig& stage : config.stages) {
    stages_.insert(stage.name);
    for (const std::string& id : all.ids(stage))
      (weight_of(stage, id).hidden ? hidden_ : shown_).insert(id);
  }
}

std::optional<LogFilter::Said> LogFilter::take(const std::string& line) const {
  const auto colon = line.find(": ");
  if (colon == std::string::npos) return std::nullopt;
  const std::string id = line.substr(0, colon);
  const std::string rest = line.substr(colon + 2);
  if (stages_.contains(id) && rest.starts_with("building "))
    return Said{"building", id + ": building"};
  const bool runs = rest == "running";
  const bool waits = rest.starts_with("waiting for its turn");
  if (!runs && !waits) return std::nullopt;
  const std::string verb = runs ? "running" : "waiting for its turn on the device";
  if (shown_.contains(id)) return Said{"note", id + ": " + verb};
  if (hidden_.contains(id)) return Said{"note", "a hidden case: " + verb};
  return std::nullopt;
}

void grade_hand_in(const course::CourseFolder& folder, course::Store& store, Queue& queue,
                   const HandIn& hand_in, const course::Assignment& assignment,
                   const course::Rules& rules, course::Executor& executor,
                   std::chrono::seconds again_after) {
  const auto& submission = hand_in.submission;
  const auto missing = [&] {
    return course::gradings_missing(store.attempts(submission.id), assignment, rules);
  };
  while (missing() > 0) {
    const int number = store.next_number(submission.id, rules.config_sha256, rules.version);
    const auto job =
        course::job_for(folder.path, submission, rules.config_sha256, rules.version, number);
    Grade grade;
    // A purpose of its own: a worker that a kill ended leaves its job to the next one.
    const auto purpose = fmt::format("{}.{}", assignment.name, submission.id);
    const auto undone = executor.run(
        purpose, {job}, [](const course::GradingJob&) {},
        [&](const course::GradingJob& done) {
          grade = course::collect(store, folder.path, submission, done);
        });
    if (!undone.empty()) throw Error(undone.front().why, "opgrade doctor names what is missing");
    if (grade.outcome == Outcome::grader_fault) {
      queue.fault(submission.id, hand_in.run,
                  "the grader failed on this submission, which costs no attempt", this_moment(),
                  again_after);
      return;
    }
  }
  std::string verdict = "graded";
  const auto result = course::result_of(store.attempts(submission.id), assignment.counts.of, rules);
  if (result.earned) {
    if (const auto grade = read_result((folder.path / result.decisive().result).parent_path()))
      tell_cases(queue, submission.id, *grade);
    verdict = fmt::format("{}: {} of {} points{}", words(result.decisive().outcome).text,
                          course::points_text(*result.earned),
                          course::points_text(result.decisive().max_points),
                          result.counted.size() > 1
                              ? fmt::format(", the median of {} gradings", result.counted.size())
                              : "");
  }
  queue.finish(submission.id, hand_in.run, verdict, this_moment());
}

}  // namespace opgrade::service
