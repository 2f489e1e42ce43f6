// Staff's pages to search the submissions of a class, and the messages about submissions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/state/messages.hpp"

namespace opgrade::service::pages {
namespace {

/// A graded or waiting submission.
struct ListedSubmission {
  std::vector<const course::Student*> members;  ///< members of its owner whom the reader may see
  const course::Entry* entry;
  const course::GradedSubmission* graded;

  std::int64_t id() const { return graded->standing.submission.id; }
};

std::string outcome_of(const ListedSubmission& s) {
  return s.graded->result.earned ? std::string(words(s.graded->result.decisive().outcome).id)
                                 : "waiting";
}

/// The Op Time of the case that the assignment ranks: "12.3 ms".
std::string op_time_text(const Service& service, const ListedSubmission& s) {
  const auto config = service.files.config_of(*s.entry->assignment);
  if (!config->ranking || !s.graded->result.earned) return "";
  const Contender c = service.contenders->of(s.graded->result.counted, *config->ranking);
  return c.entry == Entry::timed ? fmt::format("{:.4g} ms", c.time_ms) : "";
}

/// The filter that the list's form sets. An empty text and unset ticks select all.
struct ListFilter {
  std::string assignment, outcome, section, student;
  bool late = false, disputed = false, counts = false;

  explicit ListFilter(const Request& request)
      : assignment(request.parameter("assignment")),
        outcome(request.parameter("outcome")),
        section(request.parameter("section")),
        student(request.parameter("student")),
        late(!request.parameter("late").empty()),
        disputed(!request.parameter("disputed").empty()),
        counts(!request.parameter("counts").empty()) {}

  bool takes(const ListedSubmission& s, const std::map<std::int64_t, Message>& last) const {
    const auto is = [](const std::string& wanted, const std::string& found) {
      return wanted.empty() || wanted == found;
    };
    const auto said = last.find(s.id());
    const auto is_of = [&](const course::Student* member) {
      return is(section, member->section) && is(student, member->login);
    };
    return is(assignment, s.entry->assignment->name) && is(outcome, outcome_of(s)) &&
           std::ranges::any_of(s.members, is_of) &&
           (!late || s.graded->standing.late.after.count() > 0) &&
           (!disputed || (said != last.end() && !said->second.staff)) &&
           (!counts || s.entry->is_counted(s.id()));
  }
};

/// The submissions that pass the filter, the newest first.
std::vector<ListedSubmission> listed(const ClassCache::Class& grades, const ListFilter& filter,
                                     const Identity& who,
                                     const std::map<std::int64_t, Message>& last) {
  std::vector<ListedSubmission> all;
  for (const course::Entry* const at : grades.entries) {
    const course::Entry& entry = *at;
    const auto owner = grades.folder->roster.owner_of(*entry.student, *entry.assignment);
    // Each member of a team has the same entry, which is listed once.
    if (entry.student != owner.members.front()) continue;
    const auto members = seen_members(who, owner.members);
    if (members.empty()) continue;
    for (const auto& graded : entry.submissions)
      if (const ListedSubmission one{members, &entry, &graded}; filter.takes(one, last))
        all.push_back(one);
  }
  std::ranges::sort(all, std::greater{}, [](const ListedSubmission& s) {
    return std::pair(s.graded->standing.submission.handed_in, s.id());
  });
  return all;
}

using Choices = std::vector<std::pair<std::string, std::string>>;

void add_filter(xml_node main, const course::CourseFolder& folder, const ListFilter& filter) {
  auto form = with(add(add(main, "section"), "form", "", "buttons"),
                   {{"method", "get"}, {"action", "/staff/submissions"}});
  Choices assignments{{"", "all"}}, outcomes{{"", "all"}, {"waiting", "waiting"}},
      sections{{"", "all"}};
  for (const auto& a : folder.course.assignments) assignments.emplace_back(a.name, a.name);
  for (const auto& o : kOutcomes) outcomes.emplace_back(o.id, o.text);
  std::set<std::string> names;
  for (const auto& student : folder.roster.students)
    if (!student.section.empty()) names.insert(student.section);
  for (const auto& name : names) sections.emplace_back(name, name);
  choice(form, "Assignment", "assignment", assignments, filter.assignment);
  choice(form, "Outcome", "outcome", outcomes, filter.outcome);
  if (!names.empty()) choice(form, "Section", "section", sections, filter.section);
  field(form, "Login", "student", "text").append_attribute("value") = filter.student.c_str();
  for (const auto& [label, name, on] : {std::tuple{"Late", "late", filter.late},
                                        {"Asks for a regrade", "disputed", filter.disputed},
                                        {"Counts", "counts", filter.counts}})
    if (auto tick = field(form, label, name, "checkbox"); on)
      tick.append_attribute("checked") = "checked";
  button(form, "Show");
}

}  // namespace

std::string hand_in_address(const HandIn& h) {
  return fmt::format("/submissions/{}", h.submission.id);
}

void link_owner(xml_node cell, const course::CourseFolder& folder, const Identity& who,
                const course::Submission& submission) {
  std::string before = submission.owner.starts_with("team ") ? submission.owner + ": " : "";
  const auto members = folder.members(submission);
  if (members.empty()) append_text(cell, submission.owner);
  for (const auto* const student : seen_members(who, members)) {
    append_text(cell, std::exchange(before, ", "));
    link_student(cell, *student);
  }
}

namespace {
constexpr std::string_view kTick = "row.";
}  // namespace

bool may_choose(const Identity& who) {
  return may(who, "POST", "/staff/extensions") || may(who, "POST", "/staff/rejudges");
}

xml_node begin_choice(xml_node parent, const Identity& who) {
  if (!may_choose(who)) return {};
  return with(add(parent, "form"), {{"method", "get"}, {"action", "/staff/extensions"}});
}

void add_tick(xml_node cell, const course::Student& student) {
  with(add(cell, "input", "", "tick"), {{"type", "checkbox"},
                                        {"name", std::string(kTick) + student.login},
                                        {"aria-label", fmt::format("Choose {}", student.name)}});
}

void end_choice(xml_node form, const Identity& who, const std::string& assignment) {
  if (!form) return;
  if (!assignment.empty()) hidden(form, "assignment", assignment);
  auto buttons = add(form, "div", "", "buttons");
  auto all = with(add(buttons, "label", "All on this page"), {{"hidden", "hidden"}});
  with(add(all, "input"), {{"type", "checkbox"}, {"data-ticks", "all"}});
  for (const auto& [text, address] : {std::pair{"Extend for the chosen", "/staff/extensions"},
                                      {"Grade the chosen again", "/staff/rejudges"}})
    if (may(who, "POST", address))
      with(add(buttons, "button", text, "quiet"), {{"type", "submit"}, {"formaction", address}});
}

std::string chosen_rows(const Request& request) {
  std::vector<std::string> logins;
  for (const auto& [name, value] : request.query)
    if (name.starts_with(kTick)) logins.push_back(name.substr(kTick.size()));
  return fmt::format("{}", fmt::join(logins, ", "));
}

Response submissions(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  const ListFilter filter(visit.request);
  return page(service, visit.who, "Submissions",
              [&](xml_node main) {
                add_filter(main, *folder, filter);
                const auto last = last_messages(service);
                const auto grades = service.grades->now(service);
                const auto all = listed(*grades, filter, *visit.who, last);
                auto section = add(main, "section", "", "wide");
                constexpr std::size_t kShown = 200;
                add(section, "p",
                    all.size() > kShown
                        ? fmt::format("{} submissions, the newest {} of them:", all.size(), kShown)
                        : counted(all.size(), "submission"));
                if (all.empty()) return;
                const std::size_t shown = std::min(all.size(), kShown);
                std::vector<std::string> op_times;
                for (std::size_t i = 0; i < shown; ++i)
                  op_times.push_back(op_time_text(service, all[i]));
                const bool timed = std::ranges::any_of(op_times, std::not_fn(&std::string::empty));
                std::vector<const char*> titles{"Submission", "Student", "Assignment", "Handed in",
                                                "Late",       "Outcome", "Points"};
                if (timed) titles.push_back("Op Time");
                titles.push_back("Comments");
                auto choice_form = begin_choice(section, *visit.who);
                HtmlTable table(choice_form ? choice_form : section, titles);
                for (std::size_t i = 0; i < shown; ++i) {
                  const course::Entry& entry = *all[i].entry;
                  const course::GradedSubmission& graded = *all[i].graded;
                  const bool counts = entry.is_counted(all[i].id());
                  const auto& submission = graded.standing.submission;
                  table.begin_row(counts ? "own" : "");
                  link_submission(table.cell(), submission.id);
                  auto owner = table.cell();
                  link_owner(owner, *folder, *visit.who, submission);
                  if (choice_form) add_tick(owner, *all[i].members.front());
                  table.cell(entry.assignment->name);
                  table.cell(folder->course.zone->text(submission.handed_in), "time");
                  table.cell(late_text(graded.standing.late));
                  if (graded.result.earned) {
                    const Outcome outcome = graded.result.decisive().outcome;
                    table.cell(words(outcome).text, report::outcome_css(outcome));
                    table.cell(points_text(graded, *entry.assignment) + (counts ? "; counts" : ""));
                  } else {
                    table.cell("waiting", "soft");
                    table.cell();
                  }
                  if (timed) table.cell(op_times[i]);
                  const auto said = last.find(submission.id);
                  table.cell(said == last.end()   ? ""
                             : said->second.staff ? "commented"
                                                  : "asks for a regrade");
                }
                end_choice(choice_form, *visit.who, filter.assignment);
              },
              {.trail = {{"Class", "/staff"}}});
}

namespace {

/// What a message about a document may refer to: the whole document, or a group or an item of its
/// rubric.
std::vector<std::pair<std::string, std::string>> items_of(const Service& service, const HandIn& h,
                                                          bool staff) {
  const auto folder = service.files.folder();
  const auto* const documents = folder->course.find(h.submission.assignment);
  if (documents == nullptr) return {};
  std::vector<std::pair<std::string, std::string>> items{{"", "the whole document"}};
  // A rubric says what earns points, so students see it only together with their marks.
  if (!staff && !course::marks_are_released(service.store, documents->report_of)) return items;
  const auto rubric = rubric_that_counts(*folder, service.store, *documents);
  for (const course::RubricGroup& group : rubric->groups) {
    items.emplace_back(group.name, group.title);
    for (const course::RubricItem& item : group.items)
      items.emplace_back(item.name, fmt::format("{}: {}", group.title, item.text));
  }
  return items;
}

}  // namespace

void add_messages(xml_node main, Service& service, const Identity& who, const HandIn& h,
                  bool sent) {
  const auto all = messages_of(service, h.submission.id);
  const bool staff = who.is_staff();
  auto section = with(add(main, "section"), {{"id", "comments"}});
  add(section, "h2", "Comments");
  if (sent)
    add(section, "p",
        staff ? "Sent: the student sees your comment." : "Sent: staff see your request.", "good")
        .append_attribute("role") = "status";
  const auto folder = service.files.folder();
  const auto* const about = folder->course.find(h.submission.assignment);
  const bool blind = staff && h.is_document() && about != nullptr && about->report.blind;
  for (const Message& m : all) {
    auto said = add(section, "div", "", "said");
    const std::string who_said = m.staff && !staff   ? "staff"
                                 : !m.staff && blind ? "the student"
                                                     : m.who;
    auto head =
        add(said, "p", fmt::format("{}, {}", who_said, folder->course.zone->text(m.at)), "soft");
    if (!m.file.empty()) {
      append_text(head, ", at ");
      link(head, fmt::format("{}:{}", m.file, m.line), line_address(h, m.file, m.line));
    }
    if (!m.item.empty()) append_text(head, ", about " + m.item);
    add(said, "p", m.text, "words");
  }
  if (all.empty()) add(section, "p", staff ? "None yet." : "Staff wrote no comment.", "soft");
  if (who.form_key.empty()) return;
  auto ask = form(section, who, hand_in_address(h) + "/messages");
  if (h.is_document())
    if (const auto items = items_of(service, h, staff); items.size() > 1)
      choice(ask, "About", "item", items);
  with(text_area(ask,
                 staff ? "A comment or an answer, which the student sees"
                       : "Ask staff for a regrade, or a question: say what is wrong",
                 "text"),
       {{"maxlength", fmt::format("{}", kMaxMessage)}});
  button(ask, staff ? "Comment" : "Ask");
  const auto* const student = student_of(*folder, who, h);
  if (student == nullptr || h.is_document()) return;
  auto again = with(form(section, who, "/staff/rejudges"), {{"id", "again"}});
  hidden(again, "assignment", h.submission.assignment);
  hidden(again, "student", student->login);
  hidden(again, "times", "1");
  field(again,
        "Reason of a regrade, previewed before it counts; the student reads it if points change",
        "reason", "text")
      .append_attribute("required") = "required";
  button(again, "Grade this student again", "quiet");
}

void add_choice_of_submission(xml_node main, const Identity& who, const HandIn& h,
                              const course::Entry& entry) {
  const auto* const graded = entry.find(h.submission.id);
  if (graded == nullptr || h.is_practice() || h.submission.withdrawn) return;
  const bool is_chosen = entry.chosen && entry.chosen->submission == h.submission.id;
  const bool can_be_chosen = graded->standing.graded || graded->result.earned;
  if (!is_chosen && (!can_be_chosen || entry.is_counted(h.submission.id))) return;
  auto made = form(main, who, fmt::format("/staff/submissions/{}/count", h.submission.id));
  hidden(made, "by", is_chosen ? "rule" : "choice");
  with(field(made,
             is_chosen ? "Reason to let the rule decide again, for staff"
                       : "Reason to let this submission count, for staff",
             "reason", "text"),
       {{"required", "required"}});
  field(made, "What the student is told, or nothing", "told", "text");
  button(made, is_chosen ? "Let the rule decide" : "Let this submission count", "quiet");
}

Response choose_submission(Service& service, const Visit& visit) {
  const auto h = own_hand_in(service, visit);
  auto fields = read_form(visit.request.body);
  if (fields["reason"].empty()) throw NotDone(400, "a reason is needed");
  const bool by_rule = fields["by"] == "rule";
  const auto folder = service.files.folder();
  const auto& assignment = assignment_in(*folder, h.submission.assignment);
  const auto members = folder->members(h.submission);
  if (h.is_practice() || members.empty())
    throw NotDone(409, "this submission cannot count for a student of the roster");
  for (const auto* const member : members)
    if (!may_see(*visit.who, *member))
      throw NotDone(403, "a member of the team is in another section: staff of the course decide");
  const auto entry = entry_of(service, *folder, *members.front(), assignment, true);
  const auto* const graded = entry.find(h.submission.id);
  if (!by_rule && (graded == nullptr || graded->standing.submission.withdrawn ||
                   (!graded->standing.graded && !graded->result.earned)))
    throw NotDone(409, "this submission has no result that could count");
  for (const auto* const member : members)
    service.store.change({.at = service.now(),
                          .who = visit.who->person,
                          .student = member->login,
                          .assignment = assignment.name,
                          .kind = course::Change::Kind::counts,
                          .reason = printable_line(fields["reason"], 400),
                          .told = printable_line(fields["told"], 400),
                          .submission = by_rule ? std::nullopt : std::optional(h.submission.id)},
                         visit.request.address);
  return see_other(hand_in_address(h));
}

Response say(Service& service, const Visit& visit) {
  const auto h = own_hand_in(service, visit);
  auto fields = read_form(visit.request.body);
  std::string text = fields["text"];
  std::erase(text, '\r');
  if (text.find_first_not_of(" \n\t") == std::string::npos)
    throw NotDone(400, "the comment is empty");
  const std::string& file = fields["file"];
  const int line = whole_number<int>(fields["line"]).value_or(0);
  if (!file.empty() && !has_line(service, h, file, line))
    throw NotDone(400, fmt::format("the submission has no line {} of a file {}",
                                   printable_line(fields["line"], 20), printable_line(file, 100)));
  const std::string& item = fields["item"];
  const auto is_named = [&](const auto& one) { return one.first == item; };
  if (!item.empty() &&
      (!h.is_document() ||
       std::ranges::none_of(items_of(service, h, visit.who->is_staff()), is_named)))
    throw NotDone(400, "the rubric has no such item; load the page again");
  // Limited, because each message adds a line to the audit log.
  const std::string person = "messages of " + visit.who->person;
  const bool staff = visit.who->is_staff();
  if (!staff && !service.flood.may_fail(person))
    throw NotDone(429, "too many comments; wait a minute");
  if (!staff) service.flood.failed(person);
  add_message(service,
              {h.submission.id, service.now(), visit.who->person, staff, text, file,
               file.empty() ? 0 : line, item},
              visit.request.address);
  if (!file.empty()) return see_other(line_address(h, file, line));
  return see_other(hand_in_address(h) + "?sent=yes#comments");
}

}  // namespace opgrade::service::pages
