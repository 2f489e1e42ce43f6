/// Observations of the clocks that change no points.
#pragma once

#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// The clocks' observations as notes of a report. A busy machine causes most of them.
std::vector<Note> clock_notes(const CaseReport& report);

}  // namespace opgrade
