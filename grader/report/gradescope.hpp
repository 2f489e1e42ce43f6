/// Gradescope's results.json.
#pragma once

#include <optional>
#include <string>

#include "grader/report/gradescope_late.hpp"
#include "grader/report/view.hpp"

namespace opgrade::report {

/// The platform's and the course's part of a result.
struct GradescopeContext {
  std::optional<std::string> metadata;  ///< submission_metadata.json, for the late rule
  GradescopeLate late;                  ///< in force where there is metadata
  std::string ranked;                   ///< id of the case whose Op Time is on the leaderboard
};

/// The fields of gradescope-autograders.readthedocs.io/specs. `score` is the grade's points, or the
/// share of them that a late submission keeps; tests are the cases and the points of stages. Open
/// points are a test without score, so neither passed nor failed. After a grader fault there is
/// neither score nor test: Gradescope then reports that the autograder failed, and no zero.
///
/// Students read all of it but tests that are marked hidden. In their view hidden cases have a
/// number and no details, and nothing is marked. In the view of staff hidden cases are whole and
/// marked hidden; Gradescope then hides the total from students as well.
std::string gradescope_results(const Grade& grade, Audience audience,
                               const GradescopeContext& context = {});

}  // namespace opgrade::report
