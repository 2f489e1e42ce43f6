#include "grader/authoring/sample_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/base/core/finding_kind.hpp"
#include "grader/base/core/outcome.hpp"
#include "grader/grading/pipeline/findings_run.hpp"

namespace opgrade {
namespace {

std::string undecided_advice(const Grade& grade) {
  return grade.outcome == Outcome::not_emulated ? "only a GPU can decide it: check the task on a "
                                                  "machine with a GPU, or take the sample "
                                                  "out"
         : grade.outcome == Outcome::not_run
             ? "no case of it ran: see the outcome of the solution"
             : "the grader or this machine failed, not the sample: check the task again";
}

}  // namespace

std::string sample_folders() {
  std::string names;
  for (const auto& one : kOutcomes)
    // A folder's task has no accuracy.
    if (!is_undecided(one.outcome) && one.outcome != Outcome::wrong_accuracy)
      names += fmt::format("{}, ", one.id);
  return fmt::format("{}{}", names, kFewerPoints);
}

bool has_all_points(const Grade& grade) {
  return grade.outcome == Outcome::passed && grade.points + grade.open_points >= grade.max_points;
}

bool ends_as(const Grade& grade, Outcome expected, const Config& config) {
  using enum Outcome;
  if (grade.outcome == expected) return true;
  const auto on_gpu = [](const StageReport& stage) { return stage.device == Device::cuda; };
  const bool ran_on_gpu = std::ranges::any_of(grade.stages, on_gpu);
  const bool hides = ran_on_gpu && findings_on_gpu(Device::cuda, config) != FindingsRole::mistakes;
  // The emulated device reports a mistake where it happens. On a GPU the mistake shows in one of
  // its consequences: wrong values, a fault, a launch that never ends, or not at all.
  if (expected == mistake_found)
    return hides || grade.outcome == wrong_output ||
           (ran_on_gpu && (grade.outcome == crashed || grade.outcome == out_of_time));
  return expected == wrong_output && grade.outcome == mistake_found && !hides;
}

std::string lost_points_in(const Grade& grade) {
  std::string text;
  if (grade.outcome != Outcome::passed) return text;
  for (const auto& stage : grade.stages)
    for (const auto& item : stage.points)
      if (!item.open && item.points < item.max_points)
        text += fmt::format("; {}: {:.4g} of {:g} points", item.name, item.points, item.max_points);
  return text;
}

std::string folder_for(const Grade& grade) {
  if (is_undecided(grade.outcome)) return {};
  if (grade.outcome == Outcome::passed && !has_all_points(grade)) return std::string(kFewerPoints);
  return std::string(words(grade.outcome).id);
}

double narrow_by(const Grade& grade) {
  // Covers a float32 sum in an unlucky order; a mistake seldom has such a small error.
  constexpr double kMost = 100;
  double most = 0;
  for (const auto& stage : grade.stages)
    for (const auto& c : stage.cases)
      for (const auto& call : c.calls) {
        if (call.check.passed()) continue;
        const double allowed = call.check.tolerance, error = call.check.worst_error;
        if (allowed <= 0 || !std::isfinite(error) || error > kMost * allowed) return 0;
        most = std::max(most, error / allowed);
      }
  return most;
}

std::string warning_in(const Grade& grade) {
  for (const auto& stage : grade.stages)
    for (const auto& c : stage.cases)
      for (const auto& finding : c.findings)
        if (warns(finding))
          return fmt::format(
              " but for a warning ({} in line {}): `findings: decide` in task.yaml makes it cost "
              "the case's points",
              finding.kind, finding.line);
  return {};
}

std::string sample_advice(const Grade& grade, const std::string& folder) {
  const std::string belongs = folder_for(grade);
  if (belongs.empty()) return undecided_advice(grade);
  const std::string move =
      fmt::format("as it is, it belongs into submissions/{}/, and lies in {}/", belongs, folder);
  const std::string right(words(Outcome::passed).id);
  if (const double by = narrow_by(grade); folder == right && by > 0)
    return fmt::format(
        "{}. If it is right, its largest error is {:.2g} times what is allowed: widen "
        "`tolerance`",
        move, by);
  if (folder == right)
    return fmt::format(
        "{}. If it should be right, fix the mistake, the rule that costs points or "
        "reference.cpp",
        move);
  if (belongs == right)
    return fmt::format("no case shows its mistake{}. {}. If it is wrong, add a case that shows it",
                       warning_in(grade), move);
  if (folder == kFewerPoints)
    return fmt::format(
        "{}. A rule on constructs, counts or Op Time must cost it points, and no "
        "output be wrong",
        move);
  return fmt::format("{}. Move it, or change it so that it ends as its folder says", move);
}

}  // namespace opgrade
