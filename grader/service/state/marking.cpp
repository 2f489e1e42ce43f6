#include "grader/service/state/marking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "grader/base/core/error.hpp"
#include "grader/base/files/yaml_reader.hpp"
#include "grader/course/gradebook/gradebook.hpp"

namespace opgrade::service {

const DocumentToMark* DocumentsToMark::next(const Service& service, const Identity& who,
                                            std::int64_t after) const {
  const auto here = std::ranges::find(all, after, &DocumentToMark::id);
  const auto start =
      here == all.end() ? std::size_t{0} : static_cast<std::size_t>(here - all.begin()) + 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const DocumentToMark& one = all[(start + i) % all.size()];
    if (one.id() != after && !one.report().is_marked() &&
        service.seats.others_at(one.id(), who.person, service.now()).empty())
      return &one;
  }
  return nullptr;
}

const DocumentToMark* DocumentsToMark::find(std::int64_t id) const {
  const auto found = std::ranges::find(all, id, &DocumentToMark::id);
  return found == all.end() ? nullptr : &*found;
}

DocumentsToMark documents_to_mark(const Service& service, const Identity& who,
                                  const std::string& assignment, const std::string& section) {
  DocumentsToMark list{.grades = service.grades->of(service, assignment)};
  if (list.grades == nullptr) throw NotDone(404, "the course has no such assignment");
  const course::CourseFolder& folder = *list.grades->folder;
  list.documents = folder.course.report_for(*list.grades->assignment);
  if (list.documents == nullptr)
    throw NotDone(
        404, fmt::format("{} wants no report: course.yaml has no key 'report' for it", assignment));
  for (const course::Entry& entry : list.grades->entries) {
    if (!entry.report || !entry.report->counts) continue;
    const auto owner = folder.roster.owner_of(*entry.student, *list.documents);
    // Each member of a team has the same document, which is listed once.
    if (entry.student != owner.members.front()) continue;
    const auto members = seen_members(who, owner.members);
    const bool is_of_section =
        section.empty() || std::ranges::any_of(members, [&](const course::Student* member) {
          return member->section == section;
        });
    if (!members.empty() && is_of_section) list.all.push_back({entry.student, &entry});
  }
  // The order of the roster would reveal whose a document is.
  if (list.documents->report.blind)
    std::ranges::sort(list.all, {},
                      [](const DocumentToMark& one) { return one.report().counted().sha256; });
  return list;
}

MarksNow marks_now(const Service& service, const course::CourseFolder& folder,
                   const course::Assignment& documents, std::int64_t document) {
  MarksNow now{.rubric = rubric_that_counts(folder, service.store, documents)};
  now.marks = marks_in(marks_of(service.store, document), *now.rubric);
  now.points = points_of(*now.rubric, now.marks);
  return now;
}

std::string marks_text(const MarksNow& now) {
  return fmt::format("{} of {} points, {}", course::points_text(now.points.points),
                     course::points_text(now.rubric->maximum()),
                     now.marks.done ? "marked by " + now.marks.done_by : "not finished");
}

nlohmann::ordered_json marking_json(const Service& service, const Identity& who,
                                    const MarksNow& now, std::int64_t document) {
  nlohmann::ordered_json json{{"text", marks_text(now)}, {"done", now.marks.done}};
  json["items"] = now.marks.items;
  json["groups"] = nlohmann::ordered_json::object();
  for (const course::GroupPoints& part : now.points.groups)
    json["groups"][part.group->name] = fmt::format("{} of {}", course::points_text(part.points),
                                                   course::points_text(part.group->points));
  json["free"] = nlohmann::ordered_json::object();
  for (const auto& [group, free] : now.marks.free)
    json["free"][group] = {{"points", course::points_text(free.points)}, {"text", free.text}};
  json["comments"] = now.marks.comments;
  json["others"] = service.seats.others_at(document, who.person, service.now());
  return json;
}

course::Mark decision_of(const std::map<std::string, std::string>& fields, const Identity& who,
                         course::Moment now, std::int64_t document, const course::Rubric& rubric) {
  using Kind = course::Mark::Kind;
  course::Mark mark{.submission = document, .at = now, .who = who.person};
  std::string text = value_in(fields, "text");
  std::erase(text, '\r');
  if (const std::string item = value_in(fields, "item"); !item.empty()) {
    const auto blank = item.find(' ');
    mark.is_on = item.substr(0, blank) == "on";
    mark.name = blank == item.npos ? "" : item.substr(blank + 1);
  } else if (fields.contains("free")) {
    mark.kind = Kind::free;
    mark.name = value_in(fields, "free");
    const std::string points = value_in(fields, "points");
    const auto number = parse_number(points);
    if (!points.empty() && !number) throw NotDone(400, "points are a number such as -1.5");
    mark.is_on = !points.empty();
    mark.points = number.value_or(0);
    mark.text = mark.is_on ? text : "";
  } else if (fields.contains("comment")) {
    mark.kind = Kind::comment;
    mark.name = value_in(fields, "comment");
    mark.is_on = text.find_first_not_of(" \n\t") != text.npos;
    mark.text = mark.is_on ? text : "";
  } else if (fields.contains("done")) {
    mark.kind = Kind::done;
    mark.is_on = value_in(fields, "done") == "yes";
  } else {
    throw NotDone(400, "the form has no decision; load the page again");
  }
  try {
    require_allowed(mark, rubric);
  } catch (const UsageError& e) {
    throw NotDone(409, fmt::format("{}; {}", e.what(), e.hint));
  }
  return mark;
}

}  // namespace opgrade::service
