/// Output for a GitHub Actions job: annotations at the student's lines, and the step summary.
#pragma once

#include <string>
#include <string_view>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// Workflow commands, one per line. Up to kMaxAnnotations are `::error
/// file=...,line=...,title=...::...`: the compiler's errors, findings, then problems without a
/// place. Grader faults are `::warning`; one `::notice` has the points. Texts are escaped as the
/// runner unescapes them (% CR LF, in properties also : and ,), so no text can end its command or
/// begin another.
std::string github_annotations(const Grade& grade, Audience audience);

/// The runner shows at most ten errors and ten warnings per step.
inline constexpr int kMaxAnnotations = 10;

/// `log` between lines that turn the runner's command parsing off and on. `token` turns it on
/// again, so it must be fresh and hard to guess. Throws Error if `log` contains the token, or if
/// the token is not at least 16 letters, digits, '-' and '_'.
std::string github_guarded(std::string_view log, std::string_view token);

/// The text report, guarded, followed by the annotations.
std::string github_log(const Grade& grade, Audience audience, const std::string& token);

/// Markdown for $GITHUB_STEP_SUMMARY, under the runner's limit of 1 MiB.
std::string github_summary(const Grade& grade, Audience audience);

/// `text` for running Markdown: each character that could start markup, a link, a mention or HTML
/// becomes a character reference.
std::string markdown_text(std::string_view text);

/// `text` in a fence that is longer than any run of backticks in it.
std::string markdown_block(std::string_view text);

}  // namespace opgrade::report
