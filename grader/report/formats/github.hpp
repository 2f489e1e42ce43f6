/// Output for a GitHub Actions job: annotations at the student's lines, and the step summary.
#pragma once

#include <string>
#include <string_view>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// Workflow commands, one a line. Up to kMaxAnnotations are `::error
/// file=...,line=...,title=...::...`: the compiler's errors, findings, then problems without a
/// place. Grader faults are `::warning`; one `::notice` has the points. Texts are escaped as the
/// runner unescapes them (% CR LF, in properties also : and ,), so none can end its command or
/// begin another.
std::string github_annotations(const Grade& grade, Audience audience);

/// The runner shows at most ten errors and ten warnings of a step.
inline constexpr int kMaxAnnotations = 10;

/// `log` between lines that stop the runner's command parsing. `token` resumes it and must
/// be fresh and hard to guess. Throws Error for a token that `log` contains or that is not letters,
/// digits, '-' and '_', at least 16 of them.
std::string github_guarded(std::string_view log, std::string_view token);

/// The text report, guarded, and after it the annotations.
std::string github_log(const Grade& grade, Audience audience, const std::string& token);

/// Markdown for $GITHUB_STEP_SUMMARY, under the runner's limit of 1 MiB.
std::string github_summary(const Grade& grade, Audience audience);

/// `text` for one place in running Markdown: every character that could mark up, link, mention or
/// open HTML is a character reference.
std::string markdown_text(std::string_view text);

/// `text` in a fence longer than any run of backticks in it.
std::string markdown_block(std::string_view text);

}  // namespace opgrade::report
