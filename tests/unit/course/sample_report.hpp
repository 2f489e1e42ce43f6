/// A small course whose assignment wants a document, and its rubric.
#pragma once

#include <string>

#include "grader/course/gradebook/rubric.hpp"
#include "tests/unit/course/sample_course.hpp"

namespace opgrade::course::test {

/// Figures: 10 points, from which "units" takes 2 and "none" 10. Analysis: "full" gives 10, "half"
/// 5, one of both.
inline constexpr const char* kSampleRubric =
    R"(opgrade_rubric: 1
groups:
  - name: figures
    title: Figures
    points: 10
    begins_with: all
    items:
      - {name: units, points: -2, text: The axes have no units.}
      - {name: none, points: -10, text: There is no figure.}
  - name: analysis
    points: 10
    takes: one
    items:
      - {name: full, points: 10, text: The bottleneck is explained.}
      - {name: half, points: 5, text: Half of it is explained.}
)";

inline Rubric sample_rubric() { return parse_rubric(kSampleRubric, "rubric.yaml").rubric; }

/// Assignment m1 of 100 points, due 2026-10-12 12:00 UTC, by team with `teams`, and a report of 20
/// points, due a day later, up to two late days of 1 point each. Students ada, bob and eve of
/// make_course(); eve has an extension of one day. `keys` go to `report`.
inline CourseFolder make_report_course(const std::filesystem::path& folder,
                                       const std::string& keys = "", bool teams = false) {
  make_course(folder);
  write_text(folder / kCourseFile,
             "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n"
             "  - name: m1\n    config: self-check\n    deadline: 2026-10-12 12:00\n"
             "    late: {percent_a_day: 10, days: 3}\n" +
                 std::string(teams ? "    teams: true\n" : "") +
                 "    report: {file: report.md, rubric: rubric.yaml, deadline: 2026-10-13 12:00, "
                 "late: {points_a_day: 1, days: 2}" +
                 (keys.empty() ? "" : ", " + keys) + "}\n");
  write_text(folder / "rubric.yaml", kSampleRubric);
  return open_course_folder(folder);
}

}  // namespace opgrade::course::test
