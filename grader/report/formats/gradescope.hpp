/// Gradescope's results.json.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

// Points lost by a late submission, from submission_metadata.json.

/// Each begun day after the grace period takes `percent_per_day` of the points; after `days` of
/// them a submission gets none. The default takes nothing.
struct GradescopeLate {
  int grace_minutes = 0;
  int percent_per_day = 0;
  int days = std::numeric_limits<int>::max();
};

struct GradescopeLateness {
  int days = 0;      ///< begun days after the due date and the grace period
  double share = 1;  ///< of the points that count
};

/// The due date is the latest of the students' own (an extension), else the assignment's; without
/// one nothing is late. Throws Error for text that is no metadata: no points are lost to it.
GradescopeLateness gradescope_lateness(const std::string& metadata, const GradescopeLate& rule);

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
