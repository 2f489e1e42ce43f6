/// Gradescope's results.json.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

// What a late submission costs, by the dates of submission_metadata.json.

/// Each begun day after the grace period costs `percent_per_day` of the points; after `days` such
/// days a submission gets no points. By default lateness costs nothing.
struct GradescopeLate {
  int grace_minutes = 0;
  int percent_per_day = 0;
  int days = std::numeric_limits<int>::max();
};

struct GradescopeLateness {
  int days = 0;      ///< begun days after the due date and the grace period
  double share = 1;  ///< share of the points that counts
};

/// The due date is the latest extension of the students, else the assignment's due date. Without a
/// due date no submission is late. Throws Error if the text is not such metadata, so that it costs
/// no points.
GradescopeLateness gradescope_lateness(const std::string& metadata, const GradescopeLate& rule);

/// What the platform and the course add to a result.
struct GradescopeContext {
  std::optional<std::string> metadata;  ///< submission_metadata.json, for the late rule
  GradescopeLate late;                  ///< applies if there is metadata
  std::string ranked;                   ///< id of the case whose Op Time is on the leaderboard
};

/// The fields of gradescope-autograders.readthedocs.io/specs. `score` is the grade's points, or the
/// share of them that counts for a late submission. Tests are the cases and the points of stages.
/// Open points are a test without score, so it is neither passed nor failed. After a grader fault
/// there is neither score nor test: Gradescope then reports that the autograder failed, and records
/// no zero.
///
/// Students read everything except for tests that are marked hidden. In the students' view hidden
/// cases have a number and no details, and nothing is marked. In staff's view hidden cases are
/// complete and marked hidden; Gradescope then hides the total from students as well.
std::string gradescope_results(const Grade& grade, Audience audience,
                               const GradescopeContext& context = {});

}  // namespace opgrade::report
