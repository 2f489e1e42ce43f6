/// Gradescope's results.json.
#pragma once

#include <string>

#include "grader/report/view.hpp"

namespace opgrade::report {

/// The fields of gradescope-autograders.readthedocs.io/specs. `score` is the grade's points; tests
/// are the cases and the points of stages. Open points are a test without score, so
/// neither passed nor failed. After a grader fault there is neither score nor test: Gradescope then
/// reports that the autograder failed, and no zero. Output is plain text; nothing is marked hidden,
/// which would hide the total too: give it the student's view, which holds nothing to hide.
std::string gradescope_results(const Grade& grade, Audience audience);

}  // namespace opgrade::report
