/// The facts of a case that did not pass, and the next action for its author.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

/// Number of findings of a case that are shown.
inline constexpr std::size_t kMostFindings = 5;

/// A finding in one line. If the line above, `reason`, contains its message, the message is left
/// out.
std::string finding_line(const Finding& f, std::string_view reason);

/// The facts, one per line: "conv2 at (b=0, m=3, h=1, w=5): got 1.5, want 2.5", the number of
/// differing elements, and so on.
std::vector<std::string> facts_of(const CaseReport& c);

/// The next action for a case that did not pass: to fix a finding at its place, the hint of its
/// reason, the hint of its check, or default_next().
std::string next_of(const CaseReport& c);

/// The next action in a report that shows each case separately. If the case's findings do not name
/// the place of the mistake, but those of another case in the stage do, the other case's action is
/// used.
std::string next_in(const StageReport& stage, const CaseReport& c);

/// Findings without consequence that facts_of() leaves out because another finding explains the
/// failure.
std::vector<Finding> untold_of(const CaseReport& c);

/// The next action if the grader has no better hint.
std::string_view default_next(Outcome outcome);

}  // namespace opgrade::report
