// Graders' pages: the documents of an assignment, one document next to its rubric, and the rubric.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/service/pages/document_view.hpp"
#include "grader/service/pages/markdown.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/pages/pages_practice.hpp"
#include "grader/service/state/marking.hpp"
#include "grader/service/state/messages.hpp"

namespace opgrade::service::pages {
namespace {

using course::points_text;

/// Keys for the items, in their order, which the script assigns. Further items are reached with Tab
/// and Space.
constexpr std::string_view kItemKeys = "1234567890qwertyuiop";

std::string list_address(const std::string& assignment, const std::string& section) {
  return of_a_section("/staff/marking/" + assignment, section);
}

std::string address_of(const std::string& assignment, std::int64_t document,
                       const std::string& section) {
  return of_a_section(fmt::format("/staff/marking/{}/{}", assignment, document), section);
}

/// The document's number, with its owner if names are shown.
std::string name_of_document(const DocumentsToMark& list, const DocumentToMark& one) {
  if (list.documents->report.blind) return fmt::format("Document {}", one.id());
  std::vector<std::string> names;
  const auto owner = list.grades->folder->roster.owner_of(*one.student, *list.documents);
  for (const auto* const member : owner.members)
    names.push_back(fmt::format("{} ({})", member->name, member->login));
  return fmt::format("Document {}, {}", one.id(), fmt::join(names, ", "));
}

/// Adds a notice if the rubric's file differs from the rubric by which marks count.
void add_rubric_notice(xml_node main, const Service& service, const DocumentsToMark& list) {
  const std::string& name = list.documents->report_of;
  const auto applied = course::applied_rubric(service.store, name);
  if (!applied || *applied == list.grades->folder->rubrics.at(name).text) return;
  auto notice =
      add(main, "p", "The rubric's file differs from the rubric by which marks count. ", "notice");
  link(notice, "What would change", "/staff/rubrics/" + name);
}

void add_release(xml_node main, const Service& service, const Identity& who,
                 const DocumentsToMark& list) {
  const bool released = course::marks_are_released(service.store, list.documents->report_of);
  auto section = add_section(main, "Release");
  const auto open = std::ranges::count_if(
      list.all, [](const DocumentToMark& one) { return !one.report().is_marked(); });
  add(section, "p",
      released ? "Students see the marks of each document that a grader has finished."
               : "Students see no marks yet.");
  if (!released && open > 0)
    add(section, "p",
        fmt::format("{} not finished yet.", counted(open, "document is", "documents are")));
  if (!list.grades->assignment->released)
    add(section, "p",
        "The assignment's grades are held (grades: held in course.yaml), so students see no marks "
        "before these are released, too.",
        "notice");
  auto made =
      form(section, who, fmt::format("/staff/marking/{}/release", list.documents->report_of));
  hidden(made, "released", released ? "no" : "yes");
  button(made, released ? "Hold the marks back" : "Release the marks", released ? "quiet" : "");
}

void add_exports(xml_node main, const Identity& who, const std::string& assignment) {
  if (!may(who, "GET", "/staff/gradebook/rubric")) return;
  auto section = add_section(main, "Exports");
  for (const auto& [name, format] : {std::pair{"Marks by item (CSV)", "rubric"},
                                     {"As Gradescope's evaluations", "gradescope-rubric"},
                                     {"For PrairieLearn", "prairielearn"}})
    link(add(section, "p"), name,
         fmt::format("/staff/gradebook/{}?assignment={}", format, assignment));
}

/// True if the last message about the document is a student's, which no grader has answered.
bool asks(const std::map<std::int64_t, Message>& last, std::int64_t document) {
  const auto found = last.find(document);
  return found != last.end() && !found->second.staff;
}

Response to_next(const Service& service, const Identity& who, const DocumentsToMark& list,
                 std::int64_t after, const std::string& section) {
  const auto* const next = list.next(service, who, after);
  const std::string& assignment = list.documents->report_of;
  return see_other(next == nullptr ? list_address(assignment, section)
                                   : address_of(assignment, next->id(), section));
}

void add_item(xml_node form, const course::RubricItem& item, bool applies, char key) {
  auto made = with(add(form, "button", "", "item"),
                   {{"type", "submit"},
                    {"name", "item"},
                    {"value", fmt::format("{} {}", applies ? "off" : "on", item.name)},
                    {"data-item", item.name},
                    {"aria-pressed", applies ? "true" : "false"}});
  if (key != ' ') {
    made.append_attribute("data-key") = std::string(1, key).c_str();
    add(made, "kbd", std::string(1, key));
  }
  add(made, "span", (item.points > 0 ? "+" : "") + points_text(item.points), "item-points");
  add(made, "span", item.text);
}

void add_free_points(xml_node parent, const Identity& who, const std::string& address,
                     const course::RubricGroup& group, const course::Marks& marks) {
  const auto own = marks.free.find(group.name);
  const bool has_own = own != marks.free.end();
  auto made = form(parent, who, address);
  hidden(made, "free", group.name);
  with(field(made, "Points, such as -1.5; none takes them back", "points", "text"),
       {{"inputmode", "decimal"},
        {"value", has_own ? points_text(own->second.points) : ""},
        {"data-free-points", group.name}});
  with(field(made, "Why, for the student", "text", "text"),
       {{"maxlength", fmt::format("{}", course::kMaxMarkText)},
        {"value", has_own ? own->second.text : ""},
        {"data-free-text", group.name}});
  button(made, "Save", "quiet");
}

void add_comment(xml_node parent, const Identity& who, const std::string& address,
                 const std::string& name, const std::string& label, const course::Marks& marks) {
  auto made = form(parent, who, address);
  hidden(made, "comment", name);
  const auto own = marks.comments.find(name);
  auto text = with(
      add(add(made, "label", label), "textarea", own == marks.comments.end() ? "" : own->second),
      {{"name", "text"},
       {"rows", "3"},
       {"maxlength", fmt::format("{}", course::kMaxMarkText)},
       {"data-comment", name}});
  if (!text.first_child()) append_text(text, "\n");
  button(made, "Save the comment", "quiet");
}

void add_said(xml_node parent, const course::Marks& marks, const std::string& name,
              const std::string& about) {
  if (const auto said = marks.comments.find(name); said != marks.comments.end())
    add(parent, "p", fmt::format("{}: {}", about, said->second), "words");
}

/// Adds what is rarer than items: free points and comments, folded unless there are some. Visitors
/// who may not mark see them without forms.
void add_more(xml_node parent, const Identity& who, const std::string& address,
              const course::RubricGroup& group, const course::Marks& marks) {
  if (!may(who, "POST", address)) {
    if (const auto free = marks.free.find(group.name); free != marks.free.end())
      add(parent, "p",
          fmt::format("Free points: {}: {}", points_text(free->second.points), free->second.text),
          "words");
    add_said(parent, marks, group.name, "Comment");
    return;
  }
  auto details = add(parent, "details");
  if (marks.free.contains(group.name) || marks.comments.contains(group.name))
    details.append_attribute("open") = "open";
  add(details, "summary", "Free points and comment");
  add_free_points(details, who, address, group, marks);
  add_comment(details, who, address, group.name,
              fmt::format("Comment on {}, which the student reads", group.title), marks);
}

void add_rubric(xml_node parent, const Identity& who, const std::string& address,
                const MarksNow& now, const std::string& next_text) {
  auto aside = with(add(parent, "section", "", "rubric"), {{"aria-label", "Rubric"}});
  with(add(aside, "p", marks_text(now), "verdict"),
       {{"id", "marks"}, {"role", "status"}, {"aria-live", "polite"}});
  with(add(aside, "p", " ", "notice"),
       {{"id", "others"}, {"hidden", "hidden"}, {"aria-live", "polite"}});
  with(add(aside, "p", " ", "notice"),
       {{"id", "refused"}, {"hidden", "hidden"}, {"role", "alert"}});
  std::size_t key = 0;
  for (const course::GroupPoints& part : now.points.groups) {
    const course::RubricGroup& group = *part.group;
    auto section = add(aside, "section", "", "group");
    auto title = add(section, "h2", group.title + " ");
    with(add(title, "span",
             fmt::format("{} of {}", points_text(part.points), points_text(group.points)), "soft"),
         {{"data-group", group.name}});
    if (group.takes == course::RubricGroup::Takes::one) add(section, "p", "One of these:", "soft");
    auto items = with(form(section, who, address), {{"class", "items"}});
    for (const course::RubricItem& item : group.items)
      add_item(items ? items : section, item, now.marks.items.contains(item.name),
               key < kItemKeys.size() ? kItemKeys[key++] : ' ');
    add_more(section, who, address, group, now.marks);
    // Comments on items, which `opgrade course mark` can write.
    for (const course::RubricItem& item : group.items)
      add_said(section, now.marks, item.name, item.text);
  }
  if (may(who, "POST", address))
    add_comment(aside, who, address, "", "Comment on the document, which the student reads (c)",
                now.marks);
  else
    add_said(aside, now.marks, "", "Comment on the document");
  auto ends = add(aside, "div", "", "buttons");
  auto done = with(form(ends, who, address), {{"id", "done"}});
  hidden(done, "done", "yes");
  button(done, next_text.c_str());
  auto again = with(form(ends, who, address), {{"id", "open-again"}});
  hidden(again, "done", "no");
  if (!now.marks.done) again.append_attribute("hidden") = "hidden";
  button(again, "Not finished", "quiet");
  add(aside, "p",
      "Keys: those at the items, c for the comment, Enter when it is done, n for the next one, "
      "j and k for the pages, Escape to leave a text.",
      "soft");
}

/// Adds opgrade's own measurements, to check the numbers in the document.
void add_own_numbers(xml_node main, const Service& service, const DocumentsToMark& list,
                     const DocumentToMark& one) {
  auto section = add_section(main, "What opgrade measured");
  const Identity staff{"", Role::observer, ""};
  const auto add_tables = [&](const HandIn& h, const std::string& title, bool open) {
    auto shown = shown_grade(service, h, grade_for(service, staff, h));
    if (!shown) return;
    // The marks on this page change the grade of the assignment, so it is left out.
    Grade grade = without_grade_of_assignment(*std::move(shown));
    grade.submission = title;  // the grade's own name would be the student's
    auto details = add(section, "details");
    if (open) details.append_attribute("open") = "open";
    add(details, "summary", title);
    add_markdown(add(details, "div", "", "statement"),
                 report::exporter("markdown").write(grade, {report::Audience::staff}));
  };
  if (one.entry->counts) {
    const auto& submission = one.entry->submissions.at(*one.entry->counts).standing.submission;
    if (const auto h = service.queue.find(submission.id))
      add_tables(*h, fmt::format("Submission {}, which counts", submission.id), true);
  } else {
    add(section, "p", "No submission of code counts.");
  }
  constexpr std::size_t kRuns = 3;
  const auto& folder = *list.grades->folder;
  const auto owner = folder.roster.owner_of(*one.student, *list.documents).key;
  auto runs =
      service.queue.of_owner(owner, std::string(course::kPractice) + list.documents->report_of);
  std::erase_if(runs, [](const HandIn& run) { return run.state != State::done; });
  for (std::size_t i = 0; i < std::min(kRuns, runs.size()); ++i) {
    const HandIn& run = runs[runs.size() - 1 - i];
    add_tables(run,
               fmt::format("Practice run {}{}", run.submission.id,
                           run.tool.empty() ? "" : " under " + tool_title(run)),
               false);
  }
}

/// The document in the address, about which a grader decides something. Throws NotDone if the
/// visitor may not see it.
HandIn document_in(const Service& service, const Visit& visit) {
  const auto id = whole_number(visit.captured.at(1));
  const auto found = id ? service.queue.find(*id) : std::nullopt;
  if (!found || !may_see(service, *visit.who, *found) ||
      found->submission.assignment != std::string(course::kDocuments) + visit.captured.at(0))
    throw NotDone(404, "there is no such document");
  return *found;
}

}  // namespace

Response marking(Service& service, const Visit& visit) {
  const std::string of_section = visit.request.parameter("section");
  const auto list = documents_to_mark(service, *visit.who, visit.captured.front(), of_section);
  const std::string& assignment = list.documents->report_of;
  const bool blind = list.documents->report.blind;
  const auto last = last_messages(service);
  return page(
      service, visit.who, "Reports of " + heading_of(*list.grades->assignment),
      [&](xml_node main) {
        if (visit.who->is_of_whole_course())
          add_sections(main, list.grades->folder->roster, "/staff/marking/" + assignment,
                       of_section);
        add_rubric_notice(main, service, list);
        const auto marked = std::ranges::count_if(
            list.all, [](const DocumentToMark& one) { return one.report().is_marked(); });
        auto section = add(main, "section");
        add(section, "p",
            fmt::format("{} of {} marked.", marked, counted(list.all.size(), "document")));
        if (list.next(service, *visit.who, 0) != nullptr)
          link(add(section, "p"), "Mark the next one",
               of_a_section(fmt::format("/staff/marking/{}/next", assignment), of_section));
        std::vector<const char*> titles{"Document", "Handed in", "Late",
                                        "Marks",    "Grader",    "Notes"};
        if (!blind) titles.insert(titles.begin() + 1, "Student");
        HtmlTable table(section, titles);
        for (const DocumentToMark& one : list.all) {
          const course::ReportEntry& report = one.report();
          table.begin_row();
          link(table.cell(), fmt::format("{}", one.id()),
               address_of(assignment, one.id(), of_section));
          if (!blind) link_owner(table.cell(), *list.grades->folder, *visit.who, report.counted());
          table.cell(list.grades->folder->course.zone->text(report.counted().handed_in), "time");
          table.cell(late_text(report.documents[*report.counts].late));
          table.cell(report.is_marked() ? report_text(report) : "open",
                     report.is_marked() ? "" : "open");
          table.cell(report.marks.done_by);
          std::vector<std::string> notes;
          if (asks(last, one.id())) notes.emplace_back("asks for a regrade");
          for (const auto& other :
               service.seats.others_at(one.id(), visit.who->person, service.now()))
            notes.push_back(other + " is there");
          table.cell(fmt::format("{}", fmt::join(notes, ", ")));
        }
        link(add(section, "p"), "The rubric", "/staff/rubrics/" + assignment);
        add_release(main, service, *visit.who, list);
        add_exports(main, *visit.who, assignment);
      },
      {.trail = {{"Class", "/staff"},
                 {heading_of(*list.grades->assignment), "/staff/assignments/" + assignment}}});
}

Response next_document(Service& service, const Visit& visit) {
  const std::string section = visit.request.parameter("section");
  const auto list = documents_to_mark(service, *visit.who, visit.captured.front(), section);
  return to_next(service, *visit.who, list,
                 whole_number(visit.request.parameter("after")).value_or(0), section);
}

namespace {

constexpr const char* kNotCounted =
    "another document of the same student counts now, or none is accepted, so this one takes no "
    "marks; the list of reports has the one that does";

/// True if the document counts. Does not read the class's grades, because each open page asks every
/// two seconds, and each decision of a grader makes the grades be computed again.
bool is_counted(const Service& service, const course::CourseFolder& folder, const HandIn& h) {
  const auto members = folder.members(h.submission);
  if (members.empty()) return false;
  const auto& documents = assignment_in(folder, h.submission.assignment);
  return counted_document(folder, service.store, documents,
                          folder.roster.owner_of(*members.front(), documents)) == h.submission.id;
}

}  // namespace

Response mark_document(Service& service, const Visit& visit) {
  const auto h = document_in(service, visit);
  const std::string of_section = visit.request.parameter("section");
  const auto list = documents_to_mark(service, *visit.who, visit.captured.front(), of_section);
  const std::string& assignment = list.documents->report_of;
  const auto* const one = list.find(h.submission.id);
  if (one == nullptr) throw NotDone(409, kNotCounted);
  if (may(*visit.who, "POST", address_of(assignment, one->id(), "")))
    service.seats.sit_down(visit.who->person, one->id(), service.now());
  const auto now = marks_now(service, *list.grades->folder, *list.documents, one->id());
  const std::string address = address_of(assignment, one->id(), of_section);
  return page(
      service, visit.who, name_of_document(list, *one),
      [&](xml_node main) {
        const auto& report = one->report();
        add(main, "p",
            fmt::format("Handed in {}, {}.",
                        list.grades->folder->course.zone->text(report.counted().handed_in),
                        lateness_text(report.documents[*report.counts].late)),
            "soft");
        auto ways = with(add(main, "nav"), {{"aria-label", "Of this document"}});
        link(ways, "All reports", list_address(assignment, of_section));
        with(link(ways, "Next one",
                  fmt::format("/staff/marking/{}/next?after={}{}", assignment, one->id(),
                              of_section.empty() ? "" : "&section=" + encode_percent(of_section))),
             {{"id", "next-document"}});
        link(ways, "The file", document_file_address(h));
        auto both = with(add(main, "div", "", "marking"),
                         {{"data-marking", address_of(assignment, one->id(), "")}});
        auto shown = add(both, "div", "", "document");
        add(shown, "h2", "The document");
        add_document(shown, service, h);
        add_rubric(both, *visit.who, address, now, "Done, and the next one");
        add_own_numbers(main, service, list, *one);
        add_messages(main, service, *visit.who, h, !visit.request.parameter("sent").empty());
      },
      {.again_after_s = again_for_document(service, h),
       .trail = {{"Class", "/staff"},
                 {"Reports of " + assignment, list_address(assignment, of_section)}}});
}

Response marking_state(Service& service, const Visit& visit) {
  const auto h = document_in(service, visit);
  const auto folder = service.files.folder();
  if (!is_counted(service, *folder, h)) return json_error(409, kNotCounted);
  if (may(*visit.who, "POST", address_of(visit.captured.at(0), h.submission.id, "")))
    service.seats.sit_down(visit.who->person, h.submission.id, service.now());
  const auto now =
      marks_now(service, *folder, assignment_in(*folder, h.submission.assignment), h.submission.id);
  return json_answer(200, marking_json(service, *visit.who, now, h.submission.id));
}

Response mark(Service& service, const Visit& visit) {
  const auto h = document_in(service, visit);
  const auto folder = service.files.folder();
  const auto& documents = assignment_in(*folder, h.submission.assignment);
  const bool scripted = visit.request.header("accept") == "application/json";
  try {
    if (!is_counted(service, *folder, h)) throw NotDone(409, kNotCounted);
    const auto rubric = rubric_that_counts(*folder, service.store, documents);
    const auto decision = decision_of(read_form(visit.request.body), *visit.who, service.now(),
                                      h.submission.id, *rubric);
    // The first mark fixes the rubric: after it a change of the file changes no grade before staff
    // apply it.
    if (!course::applied_rubric(service.store, documents.report_of))
      course::apply_rubric(service.store, documents.report_of,
                           folder->rubrics.at(documents.report_of).text,
                           {visit.who->person, service.now(), visit.request.address});
    add_marks(service.store, {decision}, visit.request.address);
    const std::string section = visit.request.parameter("section");
    if (decision.kind == course::Mark::Kind::done && decision.is_on && !scripted) {
      const auto list = documents_to_mark(service, *visit.who, documents.report_of, section);
      return to_next(service, *visit.who, list, h.submission.id, section);
    }
    if (!scripted) return see_other(address_of(documents.report_of, h.submission.id, section));
  } catch (const NotDone& e) {
    if (scripted) return json_error(e.status, e.what());
    throw;
  }
  return json_answer(
      200, marking_json(service, *visit.who,
                        marks_now(service, *folder, documents, h.submission.id), h.submission.id));
}

Response release(Service& service, const Visit& visit) {
  const auto list = documents_to_mark(service, *visit.who, visit.captured.front(), "");
  auto fields = read_form(visit.request.body);
  course::release_marks(service.store, list.documents->report_of, fields["released"] == "yes",
                        {visit.who->person, service.now(), visit.request.address});
  return see_other(list_address(list.documents->report_of, ""));
}

namespace {

/// Adds each item that differs, and each grade that would change.
void add_preview(xml_node main, const Service& service, const DocumentsToMark& list,
                 const course::Rubric& before, const course::Rubric& after) {
  auto section = with(add_section(main, "What would change"), {{"id", "preview"}});
  const auto lines = differences(before, after);
  if (lines.empty()) {
    add(section, "p", "Nothing: both rubrics say the same.");
    return;
  }
  auto items = add(section, "ul");
  for (const auto& line : lines) add(items, "li", line);
  if (!course::same_maximum(before.maximum(), after.maximum()))
    add(section, "p",
        fmt::format("The report has {} points instead of {}.", points_text(after.maximum()),
                    points_text(before.maximum())));
  const auto moves = moves_by(before, after, course::marks_for(service.store, list.documents->name),
                              service.store.submissions(list.documents->name));
  if (moves.empty()) {
    add(section, "p", "No marked document gets other points.");
    return;
  }
  HtmlTable table(section, {"Document", "Owner", "Points now", "Points then"},
                  {false, false, true, true});
  for (const course::RubricMove& move : moves)
    table.row({{fmt::format("{}", move.document)},
               {list.documents->report.blind ? "-" : move.owner},
               {points_text(move.before)},
               {points_text(move.after)}});
}

Response rubric_page(Service& service, const Visit& visit, const std::string& text,
                     bool previewed) {
  const auto list = documents_to_mark(service, *visit.who, visit.captured.front(), "");
  const std::string& assignment = list.documents->report_of;
  const auto counts = rubric_that_counts(*list.grades->folder, service.store, *list.documents);
  const auto applied = course::applied_rubric(service.store, assignment);
  auto loaded = course::parse_rubric(text, "the rubric");
  const bool is_good = loaded.problems.empty();
  return page(
      service, visit.who, "Rubric of " + heading_of(*list.grades->assignment),
      [&](xml_node main) {
        if (!is_good)
          with(add(main, "pre", to_text(loaded.problems), "notice"), {{"role", "alert"}});
        const bool differs = applied && *applied != text;
        if (is_good && (previewed || differs))
          add_preview(main, service, list, *counts, loaded.rubric);
        if (is_good && (differs || (previewed && !applied))) {
          auto apply = form(main, *visit.who, "/staff/rubrics/" + assignment);
          hidden(apply, "text", text);
          hidden(apply, "apply", "yes");
          hidden(apply, "instead_of", sha256_of_text(applied.value_or("")));
          button(apply, "Apply this rubric");
        }
        auto section = add_section(main, "Change the rubric");
        for (const auto& other : list.grades->folder->course.reports)
          if (other.report_of != assignment && other.report.rubric == list.documents->report.rubric)
            add(section, "p",
                fmt::format("{} has the same file: its rubric changes at once if no document of it "
                            "has a mark yet, else its page shows what would change.",
                            other.report_of),
                "notice");
        add(section, "p",
            "Marks refer to items by name: a renamed item is a new one. Nothing changes before you "
            "apply what the preview shows.");
        auto edit = form(section, *visit.who, "/staff/rubrics/" + assignment);
        with(add(add(edit ? edit : section, "label", "rubric.yaml"), "textarea", text),
             {{"name", "text"}, {"rows", "24"}, {"spellcheck", "false"}, {"class", "yaml"}});
        if (edit) button(edit, "Preview");
      },
      {.status = is_good ? 200 : 400,
       .trail = {{"Class", "/staff"}, {"Reports of " + assignment, list_address(assignment, "")}}});
}

}  // namespace

Response rubric(Service& service, const Visit& visit) {
  const auto list = documents_to_mark(service, *visit.who, visit.captured.front(), "");
  return rubric_page(service, visit,
                     list.grades->folder->rubrics.at(list.documents->report_of).text, false);
}

Response change_rubric(Service& service, const Visit& visit) {
  const auto list = documents_to_mark(service, *visit.who, visit.captured.front(), "");
  auto fields = read_form(visit.request.body);
  std::string text = fields["text"];
  std::erase(text, '\r');
  if (fields["apply"] != "yes" || !course::parse_rubric(text, "the rubric").problems.empty())
    return rubric_page(service, visit, text, true);
  if (const auto applied = course::applied_rubric(service.store, list.documents->report_of);
      fields["instead_of"] != sha256_of_text(applied.value_or("")))
    throw NotDone(409, "another rubric was applied meanwhile; look at the preview again");
  // The file is written, too, so that the next change begins with the rubric that counts.
  write_file(list.documents->report.rubric, text, 0600);
  course::apply_rubric(service.store, list.documents->report_of, text,
                       {visit.who->person, service.now(), visit.request.address});
  return see_other(list_address(list.documents->report_of, ""));
}

}  // namespace opgrade::service::pages
