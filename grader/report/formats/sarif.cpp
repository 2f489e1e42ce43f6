#include "grader/report/formats/sarif.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "grader/base/core/finding_kind.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/report/words/case_facts.hpp"
#include "grader/report/words/diagnostics.hpp"
#include "grader/report/words/verdict.hpp"

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxNotifications = 100;

const char* level_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

/// Replaces an empty text, because SARIF's consumers refuse empty texts.
std::string text_or(const std::string& text, std::string_view instead) {
  return text.empty() ? std::string(instead) : text;
}

Json rule_of(const std::string& id) {
  const bool build = id == words(Outcome::build_failed).id;
  std::string name = id;
  for (char& c : name) c = c == '_' ? ' ' : c;
  const std::string consequence =
      build ? "The compiler refuses this line." : std::string(on_a_gpu(id));
  return {{"id", id},
          {"shortDescription", {{"text", name}}},
          {"fullDescription", {{"text", text_or(consequence, name)}}},
          {"help",
           {{"text",
             std::string(default_next(build ? Outcome::build_failed : Outcome::mistake_found))}}}};
}

class Run {
 public:
  void add(const Diagnostic& d) {
    if (d.path.empty()) {
      notify(level_of(d.severity), d.message);
      return;
    }
    if (results_.size() >= kMaxResults) return;
    const std::string rule = text_or(d.rule, "finding");
    const auto [place, fresh] = rule_index_.emplace(rule, rules_.size());
    if (fresh) rules_.push_back(rule_of(rule));
    Json location{
        {"artifactLocation", {{"uri", encode_percent(d.path, "/~")}, {"uriBaseId", "%SRCROOT%"}}}};
    if (d.line > 0) location["region"] = {{"startLine", d.line}};
    const std::string print = fingerprint_of(d);
    const int occurrence = ++occurrences_[print];
    const std::string message = text_or(d.message, rule);
    results_.push_back(
        {{"ruleId", rule},
         {"ruleIndex", place->second},
         {"level", level_of(d.severity)},
         {"message",
          {{"text", d.case_id.empty() ? message : fmt::format("{} ({})", message, d.case_id)}}},
         {"locations", Json::array({{{"physicalLocation", location}}})},
         {"partialFingerprints",
          {{"primaryLocationLineHash", fmt::format("{}:{}", print, occurrence)}}}});
  }

  void notify(const char* level, const std::string& message) {
    if (notifications_.size() >= kMaxNotifications) return;
    notifications_.push_back({{"level", level}, {"message", {{"text", text_or(message, "-")}}}});
  }

  Json json(const Grade& view) const {
    Json driver{{"name", "opgrade"}};
    if (!view.machine.opgrade_version.empty()) driver["version"] = view.machine.opgrade_version;
    driver["rules"] = rules_;
    Json invocation{{"executionSuccessful", view.outcome != Outcome::grader_fault},
                    {"toolExecutionNotifications", notifications_}};
    return {{"tool", {{"driver", driver}}},
            {"invocations", Json::array({invocation})},
            {"columnKind", "utf16CodeUnits"},
            {"results", results_}};
  }

 private:
  Json rules_ = Json::array(), results_ = Json::array(), notifications_ = Json::array();
  std::map<std::string, std::size_t> rule_index_;
  std::map<std::string, int> occurrences_;
};

}  // namespace

std::string sarif_report(const Grade& grade, Audience audience) {
  const Grade view = view_for(grade, audience);
  Run run;
  for (const auto& d : diagnostics_of(view, kMaxResults)) run.add(d);
  for (const auto& p : problems_of(view)) {
    run.notify(is_submission_fault(p.outcome) ? "error" : "warning",
               fmt::format("{}: {}: {}", p.where, p.state, p.reason));
  }
  const Json sarif{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({run.json(view)})}};
  return sarif.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opgrade::report
