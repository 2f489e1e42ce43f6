/// The result of the documents for an assignment: which one counts, its marks, its points.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/gradebook/marks.hpp"
#include "grader/course/gradebook/standing.hpp"

namespace opgrade::course {

/// An assignment's documents, rubric and marks as they are now.
struct ReportBook {
  const Assignment* documents = nullptr;            ///< one of Course::reports
  std::shared_ptr<const Rubric> rubric;             ///< the rubric by which marks count
  bool released = false;                            ///< students see the marks
  std::map<std::int64_t, std::vector<Mark>> marks;  ///< by document
};

/// The rubric that staff applied last, else the one in the rubric's file. Throws Error if it cannot
/// be read.
std::shared_ptr<const Rubric> rubric_that_counts(const CourseFolder& folder, const Store& store,
                                                 const Assignment& documents);

/// Reads what the store has now. Throws as rubric_that_counts() does.
ReportBook report_book(const CourseFolder& folder, const Store& store, const Assignment& documents);

/// The documents of one owner.
struct ReportEntry {
  std::shared_ptr<const Rubric> rubric;
  Due due;
  std::vector<Standing> documents;    ///< all, in the order of hand-in
  std::optional<std::size_t> counts;  ///< index in `documents` of the last accepted one
  bool awaited = false;               ///< no document counts, and the deadline is not over
  Marks marks;                        ///< the marks of the document that counts
  RubricPoints points;                ///< the points for `marks`; refers to `rubric`
  std::string price;                  ///< price_text(): what lateness takes off; empty: nothing
  double after_late = 0;              ///< the points in the grade; 0 until a grader is done
  bool released = false;
  /// false: hide_marks() has removed what students do not see before the release.
  bool shown = true;

  bool is_marked() const { return counts && marks.done; }
  const Submission& counted() const { return documents.at(counts.value()).submission; }
};

/// `submissions` are the owner's documents in the order of hand-in.
ReportEntry report_entry(const Course& course, const ReportBook& book, const Due& due,
                         std::vector<const Submission*> submissions, Moment now = Moment::max());

/// The number of the owner's document that counts, by the rules of report_entry(). Reads only this
/// owner's documents, because pages ask every few seconds.
std::optional<std::int64_t> counted_document(const CourseFolder& folder, const Store& store,
                                             const Assignment& documents, const Owner& owner);

/// Removes what students do not see before the release.
void hide_marks(ReportEntry& report);

/// "17 of 20", "not marked yet", "none", "not handed in yet".
std::string report_text(const ReportEntry& report);

/// How the points came about, a line for each group: "report: Figures: 8 of 10 (-2: The axes have
/// no units.)", and one for the document and its lateness.
std::vector<std::string> report_derivation(const ReportEntry& report, const TimeZone& zone);

/// A grade that another rubric would change.
struct RubricMove {
  std::string owner;
  std::int64_t document = 0;
  double before = 0, after = 0;  ///< points by the rubric, before lateness
};

/// The grades that would change, of documents that have marks.
std::vector<RubricMove> moves_by(const Rubric& before, const Rubric& after,
                                 const std::map<std::int64_t, std::vector<Mark>>& marks,
                                 const std::vector<Submission>& documents);

}  // namespace opgrade::course
