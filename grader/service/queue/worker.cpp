#include "grader/service/queue/worker.hpp"

#include <fmt/format.h>

#include <map>

#include "grader/base/core/error.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/report/words/events.hpp"

namespace opgrade::service {
namespace {

/// The outcomes that the log has of the run that ends: by the case's name, or "build " and the
/// stage's name.
std::map<std::string, Outcome> told_outcomes(const Queue& queue, std::int64_t submission) {
  std::map<std::string, Outcome> told;
  for (const StoredEvent& e : queue.events(submission, 0)) {
    if (std::holds_alternative<events::Started>(e.event)) told.clear();
    if (const auto* const c = std::get_if<events::CaseFinished>(&e.event)) told[c->id] = c->outcome;
    if (const auto* const b = std::get_if<events::BuildFinished>(&e.event))
      told["build " + b->stage] = b->outcome;
  }
  return told;
}

/// Adds outcomes to the log as the student's report shows them, which names no hidden case:
/// outcomes that the log lacks, and those that a later event in their stage changed.
void add_outcomes(Queue& queue, std::int64_t submission, const Grade& grade) {
  const Grade shown = report::view_for(grade, report::Audience::student);
  const auto told = told_outcomes(queue, submission);
  const auto is_told = [&](const std::string& name, Outcome outcome) {
    const auto found = told.find(name);
    return found != told.end() && found->second == outcome;
  };
  for (const auto& stage : shown.stages) {
    if (const Outcome outcome = stage.build.outcome; outcome != Outcome::passed &&
                                                     outcome != Outcome::not_run &&
                                                     !is_told("build " + stage.name, outcome))
      queue.add(submission, events::BuildFinished{stage.name, outcome}, course::this_second());
    for (const auto& c : stage.cases)
      if (!is_told(c.id, c.outcome))
        queue.add(submission, events::CaseFinished{.id = c.id, .outcome = c.outcome},
                  course::this_second());
  }
}

}  // namespace

Listener live_log(Queue& queue, std::int64_t submission) {
  return [&queue, submission](const Event& event) {
    const auto* const finished = std::get_if<events::CaseFinished>(&event);
    const bool hidden = finished != nullptr && finished->hidden;  // the report numbers them
    if (!hidden && !report::event_text(event, report::Audience::student).empty())
      queue.add(submission, event, course::this_second());
  };
}

void grade_hand_in(const WorkerRun& run, const course::Rules& rules, course::Executor& executor) {
  const auto& [folder, store, queue, hand_in, assignment, again_after] = run;
  const auto& submission = hand_in.submission;
  const auto missing = [&] {
    return course::gradings_missing(store.attempts(submission.id), assignment, rules, true);
  };
  while (missing() > 0) {
    const int number = store.next_number(submission.id, rules.config_sha256, rules.version);
    const auto job =
        course::job_for(folder.path, submission, rules.config_sha256, rules.version, number);
    // Practice runs are not copied, because runs of the same files may have different tools.
    std::optional<Grade> grade = hand_in.is_practice()
                                     ? std::nullopt
                                     : course::grade_as_copy(folder, store, submission, job);
    if (!grade) {
      const auto undone = executor.run(
          purpose_of(hand_in), {job}, [](const course::GradingJob&) {},
          [&](const course::GradingJob& done) {
            grade = course::collect(store, folder.path, submission, done);
          });
      if (!undone.empty()) throw Error(undone.front().why, "opgrade doctor names what is missing");
    }
    if (grade.value().outcome == Outcome::grader_fault) {
      queue.fault(submission.id, hand_in.run, course::this_second(), again_after);
      return;
    }
  }
  events::Done done;
  const auto result = course::result_of(store.attempts(submission.id), assignment.counts.of);
  if (result.earned) {
    if (const auto grade = read_result((folder.path / result.decisive().result).parent_path()))
      add_outcomes(queue, submission.id, *grade);
    done = {result.decisive().outcome, *result.earned, result.decisive().max_points,
            static_cast<int>(result.counted.size())};
  }
  queue.finish(submission.id, hand_in.run, done, course::this_second());
}

}  // namespace opgrade::service
