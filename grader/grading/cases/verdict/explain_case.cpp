#include "grader/grading/cases/verdict/explain_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "grader/base/core/finding_kind.hpp"
#include "grader/grading/build/source_lines.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"

namespace opgrade {

void explain_with(CaseReport& report, const std::vector<Finding>& findings) {
  const bool told = std::ranges::any_of(report.findings, [&](const Finding& finding) {
    return weight_of(finding.kind) <= FindingWeight::explains;
  });
  add_new(report.findings, findings);
  const auto reason = std::ranges::find_if(findings, [](const Finding& finding) {
    return weight_of(finding.kind) <= FindingWeight::explains;
  });
  if (report.outcome != Outcome::passed && !told && reason != findings.end())
    report.reason.explanation = *reason;
  if (const Finding* const mistake = warning_of(report)) report.reason = why::ToFix{*mistake};
}

std::optional<Finding> endless_loop(const Session& session, const CaseContext& context) {
  std::vector<std::uint64_t> addresses;
  for (const auto& position : session.last_positions())
    if (position.object.filename() == context.built.submission.filename())
      addresses.push_back(position.address);
  using Line = std::tuple<std::string, int, std::string>;
  std::map<Line, std::size_t> seen;
  std::size_t all = 0;
  for (auto& at : source_lines(context.stage.sandbox, context.built.submission, addresses)) {
    if (at.line == 0) continue;
    ++seen[{std::move(at.file), at.line, std::move(at.function)}];
    ++all;
  }
  if (seen.empty()) return {};
  const auto& [place, times] =
      *std::ranges::max_element(seen, {}, &std::map<Line, std::size_t>::value_type::second);
  const auto& [file, line, function] = place;
  return Finding{.kind = "endless_loop",
                 .kernel = function,
                 .file = file,
                 .line = line,
                 .message = fmt::format("The program was here when its time was nearly over, in {} "
                                        "of {} looks: an endless loop, or far too much work.",
                                        times, all)};
}

void fail_when_watched(JudgedCase& c, const SessionFailure& failure) {
  c.evidence.failed_when_watched = failure;
  judge(c);
}

}  // namespace opgrade
