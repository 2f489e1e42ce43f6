// The document of an assignment, as its student sees it.
#include <fmt/format.h>

#include <algorithm>

#include "grader/course/documents/document.hpp"
#include "grader/course/exchange/document_file.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/service/pages/document_view.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/state/marking.hpp"

namespace opgrade::service::pages {
namespace {

using course::points_text;

/// The ending of the file's name, for the browser's choice of files.
std::string ending_of(const std::string& file) { return file.substr(file.rfind('.')); }

void add_form(xml_node section, const Service& service, const Identity& who,
              const course::Assignment& documents, const course::Owner& owner) {
  const auto folder = service.files.folder();
  const course::TimeZone& zone = *folder->course.zone;
  const auto due = course::DueDates(*folder, service.store).of(owner, documents);
  const auto now = service.now();
  if (documents.opens && now < *documents.opens) return;
  add_countdown(add(section, "p", fmt::format("Due {} ", zone.text(due.deadline))), due.deadline,
                now);
  add(section, "p", fmt::format("Late: {}.", late_promise(documents.late, due)));
  if (!lateness(zone, due, now).accepted) {
    add(section, "p", "Closed: no document is taken in any more.", "notice");
    return;
  }
  add(section, "p",
      fmt::format("{} comes with the code, in its archive, or apart here; the last one counts.",
                  documents.report.file));
  auto upload = form(section, who, "/assignments/" + documents.name, "multipart/form-data");
  if (!upload) return;
  // The page after a refusal begins at the form.
  upload.attribute("action") = fmt::format("/assignments/{}#report", documents.name).c_str();
  auto parts = upload.append_child("fieldset");
  if (who.form_key.empty()) parts.append_attribute("disabled") = "disabled";
  const std::string ending = ending_of(documents.report.file);
  const bool is_markdown =
      documents::kind_of_name(documents.report.file) == documents::DocumentKind::markdown;
  auto file = with(field(parts,
                         fmt::format("The report ({}){}", ending,
                                     is_markdown ? ", together with the pictures (.png, .jpg) that "
                                                   "it names; or one archive of them"
                                                 : "")
                             .c_str(),
                         "files", "file"),
                   {{"required", "required"},
                    {"accept", is_markdown ? ending + ",.png,.jpg,.jpeg,.zip,.tar,.gz" : ending}});
  if (is_markdown) file.append_attribute("multiple") = "multiple";
  button(parts, "Hand in the report");
}

void add_documents(xml_node section, const Service& service, const course::CourseFolder& folder,
                   const course::ReportEntry& report) {
  if (report.documents.empty()) {
    add(section, "p", "No report yet.");
    return;
  }
  HtmlTable table(section, {"Document", "Handed in", "Late", "By", "State"});
  for (std::size_t i = report.documents.size(); i-- > 0;) {
    const course::Standing& one = report.documents[i];
    const bool counts = report.counts == i;
    table.begin_row(counts ? "own" : "");
    link_submission(table.cell(), one.submission.id);
    table.cell(folder.course.zone->text(one.submission.handed_in));
    table.cell(late_text(one.late));
    const auto h = service.queue.find(one.submission.id);
    table.cell(h ? h->person : "");
    table.cell(counts ? "counts: " + report_text(report) : "does not count: " + one.why_not);
  }
}

/// Adds the marks by item, with the graders' comments.
void add_marks(xml_node main, const course::ReportEntry& report) {
  auto section = add_section(main, "Marks");
  if (!report.is_marked()) {
    add(section, "p", report.shown ? "Not marked yet." : "The marks are not released yet.");
    return;
  }
  add(section, "p", report_text(report), "verdict");
  HtmlTable table(section, {"Part", "Points", "Why"}, {false, true, false});
  for (const course::GroupPoints& part : report.points.groups) {
    table.begin_row();
    table.cell(part.group->title);
    table.cell(fmt::format("{} of {}", points_text(part.points), points_text(part.group->points)));
    auto why = add(table.cell(), "ul");
    const auto add_reason = [&](double points, const std::string& text) {
      add(why, "li", fmt::format("{}{}: {}", points > 0 ? "+" : "", points_text(points), text));
    };
    const auto add_comment = [&](const std::string& name) {
      const auto comment = report.marks.comments.find(name);
      if (comment != report.marks.comments.end()) add(why, "li", comment->second, "words");
    };
    for (const course::RubricItem* const item : part.items) add_reason(item->points, item->text);
    if (const auto free = report.marks.free.find(part.group->name); free != report.marks.free.end())
      add_reason(free->second.points, free->second.text);
    for (const course::RubricItem& item : part.group->items) add_comment(item.name);
    add_comment(part.group->name);
    if (!why.first_child()) why.parent().remove_child(why);
  }
  if (const auto whole = report.marks.comments.find(""); whole != report.marks.comments.end())
    add(add(section, "div", "", "said"), "p", whole->second, "words");
}

}  // namespace

void add_report(xml_node main, const Service& service, const Identity& who,
                const course::Assignment& a, const course::Owner& owner, const course::Entry* entry,
                const std::string& complaint) {
  const auto folder = service.files.folder();
  const auto* const documents = folder->course.report_for(a);
  if (documents == nullptr) return;
  auto section = with(add_section(main, "Report"), {{"id", "report"}});
  if (!complaint.empty()) add(section, "p", complaint, "notice").append_attribute("role") = "alert";
  add_form(section, service, who, *documents, owner);
  if (entry != nullptr && entry->report) add_documents(section, service, *folder, *entry->report);
}

Response document(Service& service, const Visit& visit, const HandIn& h) {
  const auto folder = service.files.folder();
  const auto& documents = assignment_in(*folder, h.submission.assignment);
  const auto& a = assignment_in(*folder, documents.report_of);
  const bool staff = visit.who->is_staff();
  const auto* const student = student_of(*folder, *visit.who, h);
  std::optional<course::Entry> entry;
  if (student != nullptr) entry = entry_of(service, *folder, *student, a, staff);
  const bool counts = entry && entry->report && entry->report->counts &&
                      entry->report->counted().id == h.submission.id;
  std::vector<NamedAddress> trail{{"Assignments", "/"}, {heading_of(a), "/assignments/" + a.name}};
  if (staff) trail = {{"Class", "/staff"}, {"Reports of " + a.name, "/staff/marking/" + a.name}};
  return page(
      service, visit.who, fmt::format("Document {} for {}", h.submission.id, a.name),
      [&](xml_node main) {
        const bool blind = staff && documents.report.blind;
        add(main, "p",
            fmt::format("Handed in{} at {}.", blind ? "" : " by " + h.person,
                        folder->course.zone->text(h.submission.handed_in)),
            "soft");
        auto ways = with(add(main, "nav"), {{"aria-label", "Of this document"}});
        link(ways, "The file as it was handed in", document_file_address(h));
        if (staff && counts)
          link(ways, "Mark it", fmt::format("/staff/marking/{}/{}", a.name, h.submission.id));
        if (counts)
          add_marks(main, *entry->report);
        else
          add(main, "p", "This document does not count: another one does, or it came too late.",
              "notice");
        add_messages(main, service, *visit.who, h, !visit.request.parameter("sent").empty());
        // Documents that no grader reads are not rendered, because graders would wait for them.
        if (counts || staff)
          add_document(add(add_section(main, "The document"), "div", "", "document"), service, h);
      },
      {.again_after_s = again_for_document(service, h), .trail = trail});
}

}  // namespace opgrade::service::pages
