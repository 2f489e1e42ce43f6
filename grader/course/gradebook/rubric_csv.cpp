#include "grader/course/gradebook/rubric_csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "grader/base/core/error.hpp"
#include "grader/report/formats/csv.hpp"

namespace opgrade::course {
namespace {

using report::csv_cell;
using report::csv_line;
using Cells = std::vector<std::string>;

GradebookTable begin_table(const MarkedDocuments& documents, const Cells& header) {
  return {csv_line(header), documents.warnings};
}

GradebookTable rubric_table(const MarkedDocuments& documents) {
  GradebookTable table =
      begin_table(documents, {"login", "id", "name", "section", "assignment", "document", "group",
                              "item", "points", "maximum", "text"});
  for (const auto& [student, assignment, report] : documents.all) {
    const auto add = [&, student = student, assignment = assignment, id = report.counted().id](
                         const RubricGroup& group, const std::string& item, double points,
                         const std::string& maximum, const std::string& text) {
      table.csv += csv_line(
          {csv_cell(student->login), csv_cell(student->id), csv_cell(student->name),
           csv_cell(student->section), csv_cell(assignment->name), fmt::format("{}", id),
           csv_cell(group.name), csv_cell(item), points_text(points), maximum, csv_cell(text)});
    };
    for (const GroupPoints& part : report.points.groups) {
      const RubricGroup& group = *part.group;
      const auto comment = report.marks.comments.find(group.name);
      add(group, "", part.points, points_text(group.points),
          comment == report.marks.comments.end() ? group.title : comment->second);
      for (const RubricItem* const item : part.items)
        add(group, item->name, item->points, "", item->text);
      for (const RubricItem& item : group.items)
        if (const auto said = report.marks.comments.find(item.name);
            said != report.marks.comments.end())
          add(group, "comment on " + item.name, 0, "", said->second);
      if (const auto free = report.marks.free.find(group.name); free != report.marks.free.end())
        add(group, "free points", free->second.points, "", free->second.text);
    }
  }
  return table;
}

/// All texts for the student, one line for each comment.
std::string comments_of(const Marks& marks) {
  std::vector<std::string> all;
  for (const auto& [name, text] : marks.comments)
    all.push_back(name.empty() ? text : fmt::format("{}: {}", name, text));
  for (const auto& [group, free] : marks.free)
    all.push_back(fmt::format("{}: {} points: {}", group, points_text(free.points), free.text));
  return fmt::format("{}", fmt::join(all, "\n"));
}

GradebookTable gradescope_table(const MarkedDocuments& documents) {
  const auto first = documents.all.begin();
  for (const MarkedDocument& document : documents.all)
    if (document.assignment != first->assignment)
      throw UsageError("the rubrics of several assignments have different columns",
                       "name one assignment");
  Cells header{"Assignment Submission ID",
               "Question Submission ID",
               "First Name",
               "Last Name",
               "SID",
               "Email",
               "Sections",
               "Score",
               "Submission Time"};
  std::vector<const RubricItem*> items;
  if (first != documents.all.end())
    for (const RubricGroup& group : first->report.rubric->groups)
      for (const RubricItem& item : group.items) {
        items.push_back(&item);
        header.push_back(csv_cell(fmt::format("{}: {}", group.title, item.text)));
      }
  for (const char* const title : {"Adjustment", "Comments", "Grader", "Tags"})
    header.emplace_back(title);
  GradebookTable table = begin_table(documents, header);
  for (const auto& [student, assignment, report] : documents.all) {
    const auto [given, family] = first_and_last(student->name);
    const Submission& document = report.counted();
    const std::string id = fmt::format("{}", document.id);
    Cells row{id,
              id,
              csv_cell(given),
              csv_cell(family),
              csv_cell(student->id),
              csv_cell(student->email),
              csv_cell(student->section),
              points_text(report.after_late),
              iso_text(document.handed_in)};
    const auto applies = [&points = report.points](const RubricItem* item) {
      return std::ranges::any_of(points.groups, [&](const GroupPoints& part) {
        return std::ranges::any_of(part.items,
                                   [&](const RubricItem* one) { return one->name == item->name; });
      });
    };
    for (const RubricItem* const item : items) row.emplace_back(applies(item) ? "true" : "false");
    double adjustment = 0;
    for (const auto& [group, free] : report.marks.free) adjustment += free.points;
    row.push_back(points_text(adjustment));
    row.push_back(csv_cell(comments_of(report.marks)));
    row.push_back(csv_cell(report.marks.done_by));
    row.emplace_back();
    table.csv += csv_line(row);
  }
  return table;
}

GradebookTable prairielearn_table(const MarkedDocuments& documents) {
  GradebookTable table =
      begin_table(documents, {"uid", "instance", "qid", "manual_score_perc", "feedback"});
  for (const auto& [student, assignment, report] : documents.all) {
    const double maximum = report.rubric->maximum();
    std::string feedback;
    for (const GroupPoints& part : report.points.groups) {
      feedback += fmt::format("- {}: {} of {}\n", part.group->title, points_text(part.points),
                              points_text(part.group->points));
      for (const RubricItem* const item : part.items)
        feedback += fmt::format("  - {}: {}\n", points_text(item->points), item->text);
    }
    feedback += comments_of(report.marks);
    if (student->email.empty())
      table.warnings.push_back(fmt::format(
          "{}: no email in roster.csv, and PrairieLearn knows students by it", student->login));
    table.csv += csv_line({csv_cell(student->email), "1", csv_cell(assignment->name),
                           points_text(maximum > 0 ? 100 * report.after_late / maximum : 100),
                           csv_cell(feedback)});
  }
  return table;
}

constexpr std::array kFormats{RubricFormat{"rubric", rubric_table},
                              RubricFormat{"gradescope-rubric", gradescope_table},
                              RubricFormat{"prairielearn", prairielearn_table}};

}  // namespace

MarkedDocuments marked_documents(const Gradebook& book, const CourseFolder& folder,
                                 const std::string& only) {
  MarkedDocuments marked;
  for (const Assignment& documents : folder.course.reports) {
    if (!only.empty() && documents.report_of != only) continue;
    const Assignment& assignment = *folder.course.find(documents.report_of);
    for (const Student& student : folder.roster.students) {
      Entry entry = book.entry(student, assignment);
      if (!entry.report || !entry.report->counts) continue;
      if (entry.decided)
        marked.warnings.push_back(
            fmt::format("{}, {}: left out, staff have decided the grade, whatever the report has",
                        student.login, assignment.name));
      else if (entry.report->is_marked())
        marked.all.push_back({&student, &assignment, *std::move(entry.report)});
      else
        marked.warnings.push_back(fmt::format("{}, {}: left out, its report is {}", student.login,
                                              assignment.name, report_text(*entry.report)));
    }
  }
  return marked;
}

std::span<const RubricFormat> rubric_formats() { return kFormats; }

bool is_about_marks(std::string_view format) {
  return std::ranges::find(kFormats, format, &RubricFormat::name) != kFormats.end();
}

}  // namespace opgrade::course
