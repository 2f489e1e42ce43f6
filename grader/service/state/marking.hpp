/// Lists the documents that graders mark, chooses the next one, and gives the state of one as pages
/// show it.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grader/course/gradebook/report_entry.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/state/status.hpp"

namespace opgrade::service {

/// A document that counts, with its entry of the gradebook.
struct DocumentToMark {
  const course::Student* student = nullptr;  ///< the first member of its owner
  const course::Entry* entry = nullptr;

  const course::ReportEntry& report() const { return *entry->report; }
  std::int64_t id() const { return report().counted().id; }
};

struct DocumentsToMark {
  std::shared_ptr<const ClassCache::OfAssignment> grades;  ///< the other members refer to it
  const course::Assignment* documents = nullptr;
  /// In the roster's order; sorted by content if names are hidden.
  std::vector<DocumentToMark> all;

  /// The first document after `after` that no grader has finished and no other grader has open.
  const DocumentToMark* next(const Service& service, const Identity& who, std::int64_t after) const;
  const DocumentToMark* find(std::int64_t id) const;
};

/// The documents that `who` may see; only those of `section`, unless it is empty. Throws NotDone if
/// the course has no such assignment, or the assignment wants no document.
DocumentsToMark documents_to_mark(const Service& service, const Identity& who,
                                  const std::string& assignment, const std::string& section);

/// A document's marks as they are now.
struct MarksNow {
  std::shared_ptr<const course::Rubric> rubric;
  course::Marks marks;
  course::RubricPoints points;  ///< refers to `rubric`
};
MarksNow marks_now(const Service& service, const course::CourseFolder& folder,
                   const course::Assignment& documents, std::int64_t document);

/// The state that an open page shows and polls: items, points, comments, and who else has the
/// document open.
nlohmann::ordered_json marking_json(const Service& service, const Identity& who,
                                    const MarksNow& now, std::int64_t document);

/// "17 of 20 points, marked by sam".
std::string marks_text(const MarksNow& now);

/// Reads one decision of staff from a form: item="on axes", or free, points and text, or comment
/// and text, or done. Throws NotDone if the rubric does not allow it.
course::Mark decision_of(const std::map<std::string, std::string>& fields, const Identity& who,
                         course::Moment now, std::int64_t document, const course::Rubric& rubric);

}  // namespace opgrade::service
