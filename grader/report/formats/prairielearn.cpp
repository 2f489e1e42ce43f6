#include "grader/report/formats/prairielearn.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/report/formats/text.hpp"
#include "grader/report/words/case_facts.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/units.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

/// Adds no test for open points, because PrairieLearn has no state other than earned and lost.
void add_decided(Json& tests, const std::string& name, const std::vector<PointItem>& items,
                 const std::string& message) {
  const auto [points, most, open] = decided_sum(items);
  if (most <= 0) return;
  tests.push_back({{"name", name}, {"points", points}, {"max_points", most}, {"message", message}});
}

std::string case_message(const StageReport& stage, const CaseReport& c) {
  std::string text(state_of(c));
  if (!has_problem(c)) return text;
  if (!c.reason.empty()) text += "\n" + sentence_of(c.reason);
  for (const auto& fact : facts_of(c)) text += "\n" + fact;
  if (!is_undecided(c.outcome)) text += "\nnext: " + next_in(stage, c);
  return text;
}

Json decided_tests(const Grade& view) {
  Json tests = Json::array();
  for (const auto& stage : view.stages) {
    for (const auto& c : stage.cases) {
      if (!c.advice) add_decided(tests, c.id, c.points, case_message(stage, c));
    }
    for (const auto& item : stage.points)
      add_decided(tests, stage.name + ": " + item.name, {item}, sentence_of(item));
  }
  return tests;
}

std::string dumped(const Json& results) {
  return results.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string prairielearn_results(const Grade& grade, Audience audience) {
  const Grade view = view_for(grade, audience);
  const Verdict verdict = grade_verdict(view);
  const double decided = finite_or_zero(view.max_points) - finite_or_zero(view.open_points);
  Json results;
  if (view.outcome == Outcome::grader_fault || view.outcome == Outcome::refused || decided <= 0) {
    const std::string reason = view.reason.empty() ? verdict.score : sentence_of(view.reason);
    results = {{"gradable", false},
               {"format_errors", Json::array({verdict.title + ": " + reason})},
               {"message", verdict.title + ": " + verdict.score}};
  } else {
    results = {{"gradable", true},
               {"score", std::clamp(finite_or_zero(view.points) / decided, 0.0, 1.0)},
               {"message", verdict.title + ": " + verdict.score}};
  }
  const Json brief = results;
  results["output"] = text_report(grade, audience, {.unicode = true, .width = 100});
  if (brief["gradable"]) results["tests"] = decided_tests(view);
  std::string text = dumped(results);
  if (text.size() > kMaxPrairieLearn) {
    results["output"] = "The report is too long to show here.";
    text = dumped(results);
  }
  return text.size() > kMaxPrairieLearn ? dumped(brief) : text;
}

}  // namespace opgrade::report
