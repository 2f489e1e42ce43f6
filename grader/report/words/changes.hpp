/// The differences between two gradings of one submission, for `opgrade check --watch`.
#pragma once

#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

/// One line per change: builds and cases with another outcome or other points, more or fewer wrong
/// elements, and the points in total. Empty if nothing changed. Both grades are views (view.hpp).
std::vector<std::string> changes_between(const Grade& before, const Grade& after);

}  // namespace opgrade::report
