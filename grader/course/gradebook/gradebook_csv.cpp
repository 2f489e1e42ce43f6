#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/rubric_csv.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/report/formats/csv.hpp"
#include "grader/report/words/units.hpp"

namespace opgrade::course {
namespace {

using report::csv_cell;
using report::csv_line;

std::vector<const Assignment*> chosen(const CourseFolder& folder, const TableOptions& options) {
  std::vector<const Assignment*> all;
  for (const auto& a : folder.course.assignments)
    if (options.only.empty() || options.only == a.name) all.push_back(&a);
  return all;
}

/// An assignment of a platform's table.
struct Column {
  const Assignment* assignment = nullptr;
  std::vector<Entry> entries;  ///< student by student
  double maximum = 0;          ///< the maximum that most grades have
  std::string outdated;        ///< a sentence if grades were made by other rules; else empty
};

bool is_zero(const Entry& entry, const TableOptions& options) {
  return options.missing_is_zero && entry.state == Entry::State::missing &&
         options.now > entry.last_deadline();
}

/// True if the points are points of a certain maximum. The 0 points of a student without an
/// accepted submission are not.
bool has_maximum(const Entry& entry) {
  return entry.points && (entry.counts || entry.decided || !entry.items.empty() ||
                          (entry.report && entry.report->is_marked()));
}

void count_maximum(std::vector<std::pair<double, std::size_t>>& maxima, double maximum) {
  const auto found = std::ranges::find_if(
      maxima, [&](const auto& known) { return same_maximum(known.first, maximum); });
  if (found == maxima.end())
    maxima.emplace_back(maximum, 1);
  else
    ++found->second;
}

std::vector<Column> columns_of(const Gradebook& book, const CourseFolder& folder,
                               const TableOptions& options) {
  std::vector<Column> columns;
  for (const Assignment* a : chosen(folder, options)) {
    Column column{a, {}, book.facts(*a).maximum, {}};
    std::vector<std::pair<double, std::size_t>> maxima{{column.maximum, 0}};  // and their grades
    std::int64_t outdated = 0;
    std::string example;
    for (const Student& student : folder.roster.students) {
      const Entry& entry = column.entries.emplace_back(book.entry(student, *a));
      if (has_maximum(entry)) count_maximum(maxima, entry.maximum);
      if (!entry.outdated) continue;
      ++outdated;
      if (example.empty()) example = fmt::format("{} is {}", student.login, entry.graded_by);
    }
    column.maximum =
        std::ranges::max_element(maxima, {}, [](const auto& m) { return m.second; })->first;
    if (outdated > 0)
      column.outdated = fmt::format("{}: {} by other rules than those of now: {}", a->name,
                                    counted(outdated, "grade is", "grades are"), example);
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Throws UsageError if grades are outdated and the options do not allow it.
std::vector<Column> columns_for_platform(const Gradebook& book, const CourseFolder& folder,
                                         const TableOptions& options) {
  auto columns = columns_of(book, folder, options);
  std::vector<std::string> problems;
  for (const auto& column : columns)
    if (!column.outdated.empty()) problems.push_back(column.outdated);
  if (!problems.empty() && !options.as_graded)
    throw UsageError(fmt::format("{}", fmt::join(problems, "\n")),
                     "opgrade course check says what changed, opgrade course rejudge --outdated "
                     "grades them again, opgrade course set sets staff's own again; --as-graded "
                     "exports them as they were graded");
  return columns;
}

/// A course system's words for grades that are not numbers.
struct CellWords {
  std::string none, excused;
};

/// A grade that is not final must not be imported as if it were.
std::string cell_of(const Entry& entry, double maximum, const TableOptions& options,
                    const CellWords& words, std::vector<std::string>& warnings) {
  const auto name = [&] { return entry.student->login + ", " + entry.assignment->name; };
  switch (entry.state) {
    case Entry::State::excused:
      return words.excused;
    case Entry::State::missing:
      return is_zero(entry, options) ? "0" : words.none;
    case Entry::State::open:
      warnings.push_back(fmt::format("{}: left empty, open: {}", name(), entry.reason));
      return words.none;
    case Entry::State::held:  // only students see this state
    case Entry::State::graded:
      break;
  }
  if (has_maximum(entry) && !same_maximum(entry.maximum, maximum)) {
    warnings.push_back(fmt::format("{}: left empty: {}, and the column has a maximum of {}", name(),
                                   grade_text(entry), points_text(maximum)));
    return words.none;
  }
  const double points = entry.points.value_or(0);
  if (points > maximum + 0.005) {
    warnings.push_back(fmt::format("{}: {} is above the maximum {}", name(), points_text(points),
                                   points_text(maximum)));
  }
  return points_text(points);
}

}  // namespace

std::pair<std::string, std::string> first_and_last(const std::string& name) {
  if (const auto comma = name.find(','); comma != name.npos) {
    const auto first = name.find_first_not_of(' ', comma + 1);
    return {first == name.npos ? "" : name.substr(first), name.substr(0, comma)};
  }
  const auto blank = name.rfind(' ');
  if (blank == name.npos) return {"", name};
  return {name.substr(0, blank), name.substr(blank + 1)};
}

namespace {

GradebookTable plain_table(const Gradebook& book, const CourseFolder& folder,
                           const TableOptions& options) {
  GradebookTable table{csv_line({"login", "id", "name", "section", "team", "assignment", "points",
                                 "maximum", "state", "late_days", "reason"}),
                       {}};
  const auto columns = columns_of(book, folder, options);
  for (const auto& column : columns)
    if (!column.outdated.empty()) table.warnings.push_back(column.outdated);
  for (std::size_t i = 0; i < folder.roster.students.size(); ++i) {
    const Student& student = folder.roster.students[i];
    for (const auto& column : columns) {
      const Entry& entry = column.entries[i];
      const std::string late =
          entry.counts ? fmt::format("{}", entry.submissions[*entry.counts].standing.late.days)
                       : "";
      table.csv +=
          csv_line({csv_cell(student.login), csv_cell(student.id), csv_cell(student.name),
                    csv_cell(student.section), csv_cell(student.team_for(*column.assignment)),
                    csv_cell(column.assignment->name),
                    entry.points              ? points_text(*entry.points)
                    : is_zero(entry, options) ? "0"
                                              : "",
                    points_text(entry.maximum), std::string(state_text(entry, options.now)), late,
                    csv_cell(entry.reason)});
    }
  }
  return table;
}

/// Replaces each stage's points by its points of late work, if its rules have these.
void take_late_points(Grade& grade) {
  for (StageReport& stage : grade.stages)
    for (PointItem& item : stage.points) item.points = item.late_points.value_or(item.points);
}

/// The stages of the submissions that count, as they were graded. The price of lateness is left
/// out, because it applies to the submission as a whole.
GradebookTable stages_table(const Gradebook& book, const CourseFolder& folder,
                            const TableOptions& options) {
  GradebookTable table{csv_line({"login", "id", "name", "section", "assignment", "stage", "points",
                                 "maximum", "open"}),
                       {}};
  for (const Student& student : folder.roster.students) {
    for (const Assignment* const a : chosen(folder, options)) {
      const Entry entry = book.entry(student, *a);
      if (!entry.counts) continue;
      const GradedSubmission& counted = entry.submissions[*entry.counts];
      const Attempt& attempt = counted.result.decisive();
      auto grade = read_result((folder.path / attempt.result).parent_path());
      if (!grade) {
        table.warnings.push_back(
            fmt::format("{}, {}: its report cannot be read; opgrade course verify says why",
                        student.login, a->name));
        continue;
      }
      if (counted.standing.late.days > 0) take_late_points(*grade);
      for (const StageReport& stage : grade->stages) {
        const report::PointSum sum = report::sum_of(stage);
        table.csv += csv_line({csv_cell(student.login), csv_cell(student.id),
                               csv_cell(student.name), csv_cell(student.section), csv_cell(a->name),
                               csv_cell(stage.name), points_text(sum.points),
                               points_text(sum.max_points), points_text(sum.open_points)});
      }
    }
  }
  return table;
}

/// A course system that imports a line for each student.
struct Platform {
  std::string_view name;
  CellWords words;
  std::vector<std::string> header;  ///< names of the columns in front of those with points
  std::vector<std::string> (*cells)(const Student& student);  ///< the cells of a student
  bool with_maxima = false;                                   ///< behind each column's points
};
using Cells = std::vector<std::string>;
const std::vector<Platform> kPlatforms{
    {"canvas",
     {"", "EX"},
     {"Student", "ID", "SIS User ID", "SIS Login ID", "Section"},
     [](const Student& s) -> Cells {
       const auto [first, last] = first_and_last(s.name);
       return {first.empty() ? last : last + ", " + first, s.canvas_id, s.id, s.login, s.section};
     }},
    {"gradescope",
     {},
     {"First Name", "Last Name", "SID", "Email", "Sections"},
     [](const Student& s) -> Cells {
       const auto [first, last] = first_and_last(s.name);
       return {first, last, s.id, s.email, s.section};
     },
     true},
    {"moodle",
     {"-", "-"},
     {"idnumber", "username", "email"},
     [](const Student& s) -> Cells {
       return {s.id, s.login, s.email};
     }},
};

/// Adds the line with the maxima that Canvas wants, and warnings about what Canvas would guess.
void add_for_canvas(GradebookTable& table, const std::vector<Column>& columns,
                    const CourseFolder& folder) {
  // Canvas recognizes the row by the leading blanks.
  Cells possible{"    Points Possible", "", "", "", ""};
  std::vector<std::string> new_to_canvas;
  for (const auto& column : columns) {
    possible.push_back(points_text(column.maximum));
    if (column.assignment->canvas_id.empty()) new_to_canvas.push_back(column.assignment->name);
  }
  if (!new_to_canvas.empty())
    table.warnings.push_back(fmt::format(
        "{}: no canvas_id in course.yaml, so Canvas will offer a new assignment; it is the number "
        "at the end of the assignment's address in Canvas",
        fmt::join(new_to_canvas, ", ")));
  table.csv += csv_line(possible);
  const auto without_id =
      std::ranges::count(folder.roster.students, std::string(), &Student::canvas_id);
  if (without_id > 0)
    table.warnings.push_back(fmt::format(
        "{} no canvas_id in roster.csv, so Canvas must know the id or login as its SIS id; a "
        "gradebook exported from Canvas has the numbers in its column ID",
        counted(without_id, "student has", "students have")));
}

GradebookTable table_for(const Platform& platform, const Gradebook& book,
                         const CourseFolder& folder, const TableOptions& options) {
  const bool canvas = platform.name == "canvas";
  const auto columns = columns_for_platform(book, folder, options);
  Cells header = platform.header;
  for (const auto& [a, entries, maximum, outdated] : columns) {
    header.push_back(csv_cell(canvas && !a->canvas_id.empty()
                                  ? fmt::format("{} ({})", a->title, a->canvas_id)
                                  : a->title));
    if (platform.with_maxima) header.push_back(csv_cell(a->title + " - Max Points"));
  }
  GradebookTable table{csv_line(header), {}};
  if (canvas) add_for_canvas(table, columns, folder);
  for (std::size_t i = 0; i < folder.roster.students.size(); ++i) {
    Cells row;
    for (const auto& cell : platform.cells(folder.roster.students[i]))
      row.push_back(csv_cell(cell));
    for (const auto& column : columns) {
      row.push_back(
          cell_of(column.entries[i], column.maximum, options, platform.words, table.warnings));
      if (platform.with_maxima) row.push_back(points_text(column.maximum));
    }
    table.csv += csv_line(row);
  }
  return table;
}

}  // namespace

std::vector<std::string> table_formats() {
  std::vector<std::string> names{"plain", "stages"};
  for (const Platform& platform : kPlatforms) names.emplace_back(platform.name);
  for (const RubricFormat& format : rubric_formats()) names.emplace_back(format.name);
  return names;
}

GradebookTable gradebook_table(std::string_view format, const Gradebook& book,
                               const CourseFolder& folder, const TableOptions& options) {
  if (format == "stages") return stages_table(book, folder, options);
  for (const RubricFormat& of_rubric : rubric_formats())
    if (of_rubric.name == format)
      return of_rubric.write(marked_documents(book, folder, options.only));
  const auto platform = std::ranges::find(kPlatforms, format, &Platform::name);
  return platform == kPlatforms.end() ? plain_table(book, folder, options)
                                      : table_for(*platform, book, folder, options);
}

}  // namespace opgrade::course
