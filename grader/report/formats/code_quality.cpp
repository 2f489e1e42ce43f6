#include "grader/report/formats/code_quality.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "grader/report/words/diagnostics.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxIssues = 1000;

/// GitLab's severities are info, minor, major, critical, blocker.
const char* severity_of(Severity severity) {
  return severity == Severity::error     ? "critical"
         : severity == Severity::warning ? "minor"
                                         : "info";
}

/// A file of the submission for problems without a place, or ".".
std::string any_file(const Grade& view) {
  for (const auto& stage : view.stages) {
    if (stage.files.empty()) continue;
    const bool top = stage.folder.empty() || stage.folder == ".";
    return top ? stage.files.front() : stage.folder + "/" + stage.files.front();
  }
  return ".";
}

Diagnostic diagnostic_of(const Problem& problem, Severity severity) {
  Diagnostic d;
  d.severity = severity;
  d.rule = problem.explain;
  d.case_id = problem.where;
  d.path = problem.place.path;
  d.line = problem.place.line;
  d.message = fmt::format("{}: {}", problem.state, problem.reason);
  return d;
}

class Issues {
 public:
  explicit Issues(const Grade& view) : any_file_(any_file(view)) {}

  void add(const Diagnostic& d) {
    if (issues_.size() >= kMaxIssues) return;
    const std::string print = fingerprint_of(d);
    const std::string path = d.path.empty() ? any_file_ : d.path;
    issues_.push_back(
        {{"type", "issue"},
         {"check_name", d.rule.empty() ? "opgrade" : d.rule},
         {"description",
          d.case_id.empty() ? d.message : fmt::format("{}: {}", d.case_id, d.message)},
         {"categories", Json::array({"Bug Risk"})},
         {"severity", severity_of(d.severity)},
         {"fingerprint", fmt::format("{}-{}", print, ++occurrences_[print])},
         {"location", {{"path", path}, {"lines", {{"begin", d.line > 0 ? d.line : 1}}}}}});
  }

  std::string text() const {
    return issues_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  std::string any_file_;
  Json issues_ = Json::array();
  std::map<std::string, int> occurrences_;
};

}  // namespace

std::string code_quality_report(const Grade& grade, Audience audience) {
  const Grade view = view_for(grade, audience);
  Issues issues(view);
  for (const auto& d : diagnostics_of(view, kMaxIssues)) issues.add(d);
  for (const auto& p : problems_of(view)) {
    const bool mistake = is_submission_fault(p.outcome);
    issues.add(diagnostic_of(p, mistake ? Severity::error : Severity::warning));
  }
  for (const auto& p : advice_of(view)) issues.add(diagnostic_of(p, Severity::notice));
  return issues.text();
}

}  // namespace opgrade::report
