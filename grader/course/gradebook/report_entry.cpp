#include "grader/course/gradebook/report_entry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/base/core/error.hpp"
#include "grader/course/gradebook/gradebook.hpp"

namespace opgrade::course {

std::shared_ptr<const Rubric> rubric_that_counts(const CourseFolder& folder, const Store& store,
                                                 const Assignment& documents) {
  const auto applied = applied_rubric(store, documents.report_of);
  if (!applied)
    return std::make_shared<const Rubric>(folder.rubrics.at(documents.report_of).rubric);
  auto loaded = parse_rubric(*applied, documents.report.rubric);
  if (!loaded.problems.empty())
    throw Error(fmt::format("the rubric by which marks of {} count cannot be read: {}",
                            documents.report_of, to_text(loaded.problems)),
                "apply a right one: opgrade course rubric DIR ASSIGNMENT --apply");
  return std::make_shared<const Rubric>(std::move(loaded.rubric));
}

ReportBook report_book(const CourseFolder& folder, const Store& store,
                       const Assignment& documents) {
  return {.documents = &documents,
          .rubric = rubric_that_counts(folder, store, documents),
          .released = marks_are_released(store, documents.report_of),
          .marks = marks_for(store, documents.name)};
}

namespace {

/// The index of the document that counts.
std::optional<std::size_t> counted_of(const std::vector<Standing>& documents) {
  std::optional<std::size_t> counts;
  for (std::size_t i = 0; i < documents.size(); ++i)
    if (documents[i].graded) counts = i;
  return counts;
}

}  // namespace

std::optional<std::int64_t> counted_document(const CourseFolder& folder, const Store& store,
                                             const Assignment& documents, const Owner& owner) {
  const auto all = store.submissions(documents.name, owner.key);
  std::vector<const Submission*> own;
  for (const Submission& s : all) own.push_back(&s);
  const auto found = standings(folder.course, documents,
                               DueDates(folder, store).of(owner, documents), std::move(own));
  const auto counts = counted_of(found);
  return counts ? std::optional(found[*counts].submission.id) : std::nullopt;
}

ReportEntry report_entry(const Course& course, const ReportBook& book, const Due& due,
                         std::vector<const Submission*> submissions, Moment now) {
  ReportEntry report{.rubric = book.rubric, .due = due, .released = book.released};
  report.documents = standings(course, *book.documents, due, std::move(submissions));
  report.counts = counted_of(report.documents);
  report.awaited = !report.counts && now <= due.deadline;
  if (report.counts)
    if (const auto own = book.marks.find(report.counted().id); own != book.marks.end())
      report.marks = marks_in(own->second, *book.rubric);
  report.points = points_of(*book.rubric, report.marks);
  if (!report.is_marked()) return report;
  const LateRule& late = book.documents->late;
  const int days = report.documents[*report.counts].late.days;
  report.price = price_text(late, days);
  report.after_late = points_after(late, days, report.points.points, book.rubric->maximum());
  return report;
}

void hide_marks(ReportEntry& report) {
  if (report.released) return;
  report.marks = {};
  report.points = {};
  report.price.clear();
  report.after_late = 0;
  report.shown = false;
}

std::string report_text(const ReportEntry& report) {
  if (report.awaited) return "not handed in yet";
  if (!report.counts) return report.documents.empty() ? "none" : "none accepted";
  if (!report.shown) return "the marks are not released yet";
  if (!report.is_marked()) return "not marked yet";
  return fmt::format("{} of {}{}", points_text(report.after_late),
                     points_text(report.rubric->maximum()),
                     report.price.empty() ? "" : ", " + report.price);
}

std::vector<std::string> report_derivation(const ReportEntry& report, const TimeZone& zone) {
  std::vector<std::string> lines;
  if (!report.counts) {
    lines.push_back(report.awaited ? fmt::format("report: none was handed in yet; it is due {}",
                                                 zone.text(report.due.deadline))
                    : report.documents.empty()
                        ? "report: none was handed in"
                        : "report: none was accepted: " + report.documents.back().why_not);
    return lines;
  }
  const Standing& counted = report.documents[*report.counts];
  lines.push_back(fmt::format("report: document {} counts: handed in {}, {}", counted.submission.id,
                              zone.text(counted.submission.handed_in),
                              lateness_text(counted.late)));
  if (!report.is_marked()) {
    lines.push_back("report: " + report_text(report));
    return lines;
  }
  for (const GroupPoints& part : report.points.groups) {
    std::vector<std::string> why;
    for (const RubricItem* const item : part.items)
      why.push_back(fmt::format("{}{}: {}", item->points > 0 ? "+" : "", points_text(item->points),
                                item->text));
    if (const auto free = report.marks.free.find(part.group->name); free != report.marks.free.end())
      why.push_back(fmt::format("{}{}: {}", free->second.points > 0 ? "+" : "",
                                points_text(free->second.points), free->second.text));
    lines.push_back(fmt::format("report: {}: {} of {}{}", part.group->title,
                                points_text(part.points), points_text(part.group->points),
                                why.empty() ? "" : fmt::format(" ({})", fmt::join(why, "; "))));
  }
  lines.push_back("report: " + report_text(report));
  return lines;
}

std::vector<RubricMove> moves_by(const Rubric& before, const Rubric& after,
                                 const std::map<std::int64_t, std::vector<Mark>>& marks,
                                 const std::vector<Submission>& documents) {
  std::vector<RubricMove> moves;
  for (const Submission& document : documents) {
    const auto own = marks.find(document.id);
    if (own == marks.end()) continue;
    const RubricMove move{document.owner, document.id,
                          points_of(before, marks_in(own->second, before)).points,
                          points_of(after, marks_in(own->second, after)).points};
    if (!same_maximum(move.before, move.after)) moves.push_back(move);
  }
  return moves;
}

}  // namespace opgrade::course
