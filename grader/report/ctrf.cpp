#include "grader/report/ctrf.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "grader/report/case_facts.hpp"
#include "grader/report/timestamp.hpp"
#include "grader/report/verdict.hpp"

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kStdoutLines = 60;

std::int64_t whole_ms(double seconds) {
  return std::isfinite(seconds) && seconds > 0 && seconds < 1e9 ? std::llround(seconds * 1e3) : 0;
}

const char* status_of(Outcome outcome, bool advice) {
  if (outcome == Outcome::passed) return "passed";
  if (advice || outcome == Outcome::grader_fault) return "other";
  if (outcome == Outcome::not_run) return "skipped";
  return outcome == Outcome::not_emulated ? "pending" : "failed";
}

Json lines_of(const std::string& output) {
  Json lines = Json::array();
  const std::string shown = first_lines(output, kStdoutLines);
  for (std::size_t start = 0; start < shown.size();) {
    const auto end = std::min(shown.find('\n', start), shown.size());
    lines.push_back(shown.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

class Tests {
 public:
  Json& add(const std::string& name, const StageReport& stage, Outcome outcome, double seconds,
            bool advice = false) {
    const char* status = status_of(outcome, advice);
    ++counts_[status];
    tests_.push_back({{"name", name.empty() ? "case" : name},
                      {"status", status},
                      {"duration", whole_ms(seconds)},
                      {"suite", Json::array({stage.name.empty() ? "submission" : stage.name})},
                      {"rawStatus", std::string(words(outcome).id)}});
    return tests_.back();
  }

  Json summary(const Grade& view) const {
    Json summary{{"tests", tests_.size()}};
    for (const char* status : {"passed", "failed", "skipped", "pending", "other"}) {
      const auto found = counts_.find(status);
      summary[status] = found == counts_.end() ? 0 : found->second;
    }
    const std::int64_t start = timestamp_ms(view.machine.started).value_or(0);
    summary["start"] = start;
    summary["stop"] = start + whole_ms(view.elapsed_s);
    return summary;
  }

  bool told() const { return counts_.contains("failed") || counts_.contains("other"); }
  const Json& json() const { return tests_; }

 private:
  Json tests_ = Json::array();
  std::map<std::string, int> counts_;
};

void add_case(Tests& tests, const StageReport& stage, const CaseReport& c) {
  Json& test = tests.add(c.id, stage, c.outcome, c.usage.elapsed_s, c.advice);
  if (has_problem(c)) {
    if (!c.reason.empty()) test["message"] = c.reason;
    std::string trace;
    for (const auto& fact : facts_of(c)) trace += fact + "\n";
    if (!trace.empty()) test["trace"] = trace;
  }
  if (!c.student_output.empty()) test["stdout"] = lines_of(c.student_output);
  if (const std::string points = show_case_points(c); !points.empty())
    test["extra"] = {{"points", points}};
}

void add_stage(Tests& tests, const StageReport& stage) {
  const auto& build = stage.build;
  const bool nothing_ran = stage.cases.empty() && build.outcome == Outcome::not_run;
  if ((build.outcome != Outcome::passed && build.outcome != Outcome::not_run) || nothing_ran) {
    Json& test = tests.add("build", stage, build.outcome, build.elapsed_s);
    if (!build.reason.empty()) test["message"] = build.reason;
    if (!build.compiler_output.empty()) test["stderr"] = lines_of(build.compiler_output);
  }
  for (const auto& c : stage.cases) add_case(tests, stage, c);
}

}  // namespace

std::string ctrf_report(const Grade& grade, Audience audience) {
  const Grade view = view_for(grade, audience);
  Tests tests;
  for (const auto& stage : view.stages) add_stage(tests, stage);
  const bool bad = is_submission_fault(view.outcome) || view.outcome == Outcome::grader_fault;
  if (view.stages.empty() || (bad && !tests.told())) {
    Json& test = tests.add("submission", {}, view.outcome, 0);
    if (!view.reason.empty()) test["message"] = view.reason;
  }
  Json tool{{"name", "opgrade"}};
  if (!view.machine.opgrade_version.empty()) tool["version"] = view.machine.opgrade_version;
  const Verdict verdict = verdict_of(view);
  const Json report{
      {"reportFormat", "CTRF"},
      {"specVersion", "0.0.0"},
      {"generatedBy", "opgrade"},
      {"extra",
       {{"submission", view.submission}, {"verdict", verdict.title}, {"score", verdict.score}}},
      {"results", {{"tool", tool}, {"summary", tests.summary(view)}, {"tests", tests.json()}}}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opgrade::report
