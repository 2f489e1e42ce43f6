#include "grader/report/formats/gradescope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "grader/base/core/error.hpp"
#include "grader/base/core/wall_time.hpp"
#include "grader/report/formats/text.hpp"
#include "grader/report/words/case_facts.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/units.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

Json test(const std::string& name, const PointSum& sum, bool passed, const std::string& output,
          const char* visibility = "visible") {
  Json t{{"name", name}, {"name_format", "text"}};
  const bool open = sum.open_points > 0 && sum.open_points >= sum.max_points;
  if (!open) {
    t["score"] = finite_or_zero(sum.points);
    t["max_score"] = finite_or_zero(sum.max_points);
    t["status"] = passed ? "passed" : "failed";
  }
  t["output"] = open ? "open: not decided here\n" + output : output;
  t["visibility"] = visibility;
  return t;
}

std::string reasons(const std::vector<PointItem>& items) {
  std::string text;
  for (const auto& item : items) {
    text += show_points(item.points) + "/" + show_points(item.max_points) + " " + item.name + ": " +
            sentence_of(item) + "\n";
  }
  return text;
}

Json case_test(const StageReport& stage, const CaseReport& c, Audience audience) {
  const char* visibility = !c.hidden || audience != Audience::staff     ? "visible"
                           : c.visibility == Visibility::after_deadline ? "after_due_date"
                                                                        : "hidden";
  std::string output = std::string(state_of(c)) + "\n";
  if (c.advice) output = "advice: " + output + std::string(kAdvice) + "\n";
  if (has_problem(c)) {
    if (!c.reason.empty()) output += sentence_of(c.reason) + "\n";
    for (const auto& fact : facts_of(c)) output += fact + "\n";
    if (c.outcome != Outcome::not_run) output += "next: " + next_in(stage, c) + "\n";
  }
  // A test without score and status is neither passed nor failed in Gradescope.
  if (c.advice)
    return {
        {"name", c.id}, {"name_format", "text"}, {"output", output}, {"visibility", visibility}};
  return test(c.id, sum_of(c.points), c.outcome == Outcome::passed, output + reasons(c.points),
              visibility);
}

/// `students` is the grade as students may see it. A text that differs in both views is hidden.
Json tests_of(const Grade& view, const Grade& students, Audience audience) {
  Json tests = Json::array();
  for (std::size_t i = 0; i < view.stages.size(); ++i) {
    const StageReport &stage = view.stages[i], &shown = students.stages[i];
    const auto& build = stage.build;
    if (is_submission_fault(build.outcome)) {
      tests.push_back(
          test(stage.name + ": build", {}, false,
               sentence_of(shown.build.reason) + "\n" + first_lines(build.compiler_output, 60)));
    }
    for (const auto& c : stage.cases) tests.push_back(case_test(stage, c, audience));
    for (std::size_t k = 0; k < stage.points.size(); ++k) {
      const PointItem& item = stage.points[k];
      const bool same = item.name == shown.points[k].name && item.reason == shown.points[k].reason;
      tests.push_back(test(stage.name + ": " + item.name, sum_of({item}),
                           item.points >= item.max_points, sentence_of(item),
                           same ? "visible" : "hidden"));
    }
  }
  return tests;
}

std::string late_note(const Grade& view, const GradescopeLateness& late) {
  if (late.days == 0) return {};
  return fmt::format("Late by {} {}: {} % of {} points count.\n\n", late.days,
                     late.days == 1 ? "day" : "days", show_points(late.share * 100),
                     show_points(finite_or_zero(view.points)));
}

/// A time counts only in a stage without mistakes, as it does for a rank in the class.
std::optional<double> ranked_time(const Grade& view, const std::string& id) {
  for (const auto& stage : view.stages) {
    const auto found = std::ranges::find(stage.cases, id, &CaseReport::id);
    if (found == stage.cases.end()) continue;
    const bool right = std::ranges::all_of(
        stage.cases, [](const CaseReport& c) { return c.advice || c.outcome == Outcome::passed; });
    const auto time = op_time_of(*found, stage.device);
    if (right && time && std::isfinite(time->ms)) return time->ms;
  }
  return std::nullopt;
}

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& what) {
  throw Error("submission metadata: " + what,
              "Give --metadata the submission_metadata.json of the platform.");
}

const Json* member(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return nullptr;
  return &object[key];
}

std::optional<Moment> time_in(const Json& object, const char* key) {
  const Json* value = member(object, key);
  if (value == nullptr) return std::nullopt;
  const auto time = value->is_string() ? parse_moment(value->get<std::string>()) : std::nullopt;
  if (!time) refuse(std::string("'") + key + "' is not a time");
  return time;
}

std::optional<Moment> due_date(const Json& metadata) {
  std::optional<Moment> due;
  if (const Json* users = member(metadata, "users"); users != nullptr && users->is_array()) {
    for (const Json& user : *users) {
      const Json* own = member(user, "assignment");
      const auto date = own != nullptr ? time_in(*own, "due_date") : std::nullopt;
      if (date) due = std::max(due.value_or(*date), *date);
    }
  }
  if (due) return due;
  const Json* assignment = member(metadata, "assignment");
  return assignment != nullptr ? time_in(*assignment, "due_date") : std::nullopt;
}

}  // namespace

std::string gradescope_results(const Grade& grade, Audience audience,
                               const GradescopeContext& context) {
  const Grade view = view_for(grade, audience);
  const Grade students = view_for(grade, Audience::student);
  const GradescopeLateness late = context.metadata
                                      ? gradescope_lateness(*context.metadata, context.late)
                                      : GradescopeLateness{};
  const bool fault = view.outcome == Outcome::grader_fault;
  Json results;
  if (!fault) results["score"] = finite_or_zero(view.points) * late.share;
  results["execution_time"] =
      static_cast<std::int64_t>(std::lround(finite_or_zero(view.elapsed_s)));
  results["output"] = late_note(view, late) +
                      text_report(grade, Audience::student, {.unicode = true, .width = 100});
  results["output_format"] = "text";
  results["test_output_format"] = "text";
  results["visibility"] = "visible";
  results["stdout_visibility"] = "hidden";
  results["extra_data"] = {{"config", view.config_name},
                           {"config_sha256", view.config_sha256},
                           {"submission_sha256", view.submission_sha256},
                           {"outcome", std::string(words(view.outcome).id)}};
  if (context.metadata) {
    results["extra_data"]["points"] = finite_or_zero(view.points);
    results["extra_data"]["late_days"] = late.days;
    results["extra_data"]["late_share"] = late.share;
  }
  if (!fault) results["tests"] = tests_of(view, students, audience);
  if (const auto ms = ranked_time(students, context.ranked)) {
    results["leaderboard"] =
        Json::array({{{"name", "Op Time [ms]"}, {"value", *ms}, {"order", "asc"}}});
  }
  return results.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

GradescopeLateness gradescope_lateness(const std::string& text, const GradescopeLate& rule) {
  const Json metadata = Json::parse(text, nullptr, false);
  if (!metadata.is_object()) refuse("not a JSON object");
  const auto created = time_in(metadata, "created_at");
  if (!created) refuse("'created_at' is missing");
  const auto due = due_date(metadata);
  if (!due) return {};
  constexpr std::int64_t kDay = 24LL * 60 * 60;
  const std::int64_t over = (*created - *due).count() - rule.grace_minutes * 60LL;
  if (over <= 0) return {};
  GradescopeLateness late;
  late.days = static_cast<int>(std::min<std::int64_t>((over + kDay - 1) / kDay, 1'000'000));
  late.share =
      late.days > rule.days ? 0.0 : std::max(0.0, 1 - 0.01 * late.days * rule.percent_per_day);
  return late;
}

}  // namespace opgrade::report
