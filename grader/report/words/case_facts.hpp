/// The facts of a case that did not pass, and the next action for its author.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

/// So many findings of a case are shown.
inline constexpr std::size_t kMostFindings = 5;

/// A finding in one line. Without its message where `reason`, a line above, has it: then all but
/// its last full stop.
std::string finding_line(const Finding& f, std::string_view reason);

/// "conv2 at (b=0, m=3, h=1, w=5): got 1.5, want 2.5" and how many differ, one fact a line.
std::vector<std::string> facts_of(const CaseReport& c);

/// The next action for a case that did not pass: its own hint, its check's, or default_next().
std::string next_of(const CaseReport& c);

/// The same for a report that shows each case by itself: where another case of the stage names the
/// place of a mistake and this one does not, that case's.
std::string next_in(const StageReport& stage, const CaseReport& c);

/// Findings without consequence that facts_of() leaves out, because another one explains the
/// failure.
std::vector<Finding> untold_of(const CaseReport& c);

/// The next action when the grader has no better hint.
std::string_view default_next(Outcome outcome);

}  // namespace opgrade::report
