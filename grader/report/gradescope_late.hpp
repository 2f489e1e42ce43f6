/// Points lost by a late submission, from Gradescope's submission_metadata.json.
#pragma once

#include <limits>
#include <string>

namespace opgrade::report {

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

}  // namespace opgrade::report
