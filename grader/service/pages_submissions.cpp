// The submissions of a class as staff look for them, their sources, and what is written about them.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include "grader/core/counted.hpp"
#include "grader/core/printable.hpp"
#include "grader/core/text_parts.hpp"
#include "grader/intake/stage_files.hpp"
#include "grader/report/diagnostics.hpp"
#include "grader/report/view.hpp"
#include "grader/service/messages.hpp"
#include "grader/service/pages.hpp"
#include "grader/service/rejudges.hpp"

namespace opgrade::service::pages {
namespace {

/// A graded or waiting submission.
struct ListedSubmission {
  course::Owner owner;
  const course::Entry* entry;
  const course::GradedSubmission* graded;

  std::int64_t id() const { return graded->standing.submission.id; }
};

std::string outcome_of(const ListedSubmission& s) {
  return s.graded->result.earned ? std::string(words(s.graded->result.decisive().outcome).id)
                                 : "waiting";
}

/// Of the case that the assignment ranks: "12.3 ms".
std::string op_time_text(const Service& service, const ListedSubmission& s) {
  const auto config = service.config_of(*s.entry->assignment);
  if (!config->ranking || !s.graded->result.earned) return "";
  const Contender c = service.contenders->of(s.graded->result.counted, *config->ranking);
  return c.entry == Entry::timed ? fmt::format("{:.4g} ms", c.time_ms) : "";
}

/// What the list's form chose: an empty text, or none of the ticks, takes all.
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
           std::ranges::any_of(s.owner.members, is_of) &&
           (!late || s.graded->standing.late.after.count() > 0) &&
           (!disputed || (said != last.end() && !said->second.staff)) &&
           (!counts || s.entry->is_counted(s.id()));
  }
};

/// The newest first.
std::vector<ListedSubmission> listed(const ClassCache::Class& grades, const ListFilter& filter,
                                     const Identity& who,
                                     const std::map<std::int64_t, Message>& last) {
  std::vector<ListedSubmission> all;
  for (const course::Entry& entry : grades.entries) {
    const auto owner = grades.folder->roster.owner_of(*entry.student, *entry.assignment);
    const auto sees = [&](const course::Student* member) { return may_see(who, *member); };
    // A team's entry is that of each member.
    if (entry.student != owner.members.front() || std::ranges::none_of(owner.members, sees))
      continue;
    for (const auto& graded : entry.submissions)
      if (const ListedSubmission one{owner, &entry, &graded}; filter.takes(one, last))
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

/// Each line of a file, with what the report found at it.
void add_file(xml_node main, const std::string& name, const std::string& text,
              const std::vector<report::Diagnostic>& found, int& lines_left) {
  auto section = add_section(main, name);
  // So that the keyboard scrolls long lines.
  auto list = with(add(add(section, "figure", "", "source"), "ol"), {{"tabindex", "0"}});
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (--lines_left < 0) {
      add(section, "p", "The rest is in the archive.", "quiet");
      break;
    }
    auto item = add(list, "li");
    const auto here = [&](const report::Diagnostic& d) {
      return d.path == name && d.line == number;
    };
    const auto first = std::ranges::find_if(found, here);
    auto code = add(item, first != found.end() ? "mark" : "code", printable(line));
    if (first == found.end()) continue;
    code.append_attribute("id") = fmt::format("line-{}", number).c_str();
    std::set<std::string> told;  // the same in several cases
    for (const auto& d : found)
      if (here(d) && told.insert(d.rule + d.message).second)
        add(item, "p", fmt::format("{}: {}", d.rule, d.message), "notice");
  }
}

void add_difference(xml_node main, const std::string& name, const std::string& before,
                    const std::string& after, DifferenceWork& work, int& lines_left) {
  using Side = DifferenceLine::Side;
  constexpr int kAround = 3;
  const auto lines = line_difference(before, after, work);
  std::vector<bool> shown(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].side != Side::both)
      for (std::size_t j = i < kAround ? 0 : i - kAround;
           j < std::min(lines.size(), i + kAround + 1); ++j)
        shown[j] = true;
  auto section = add_section(main, name);
  if (std::ranges::none_of(shown, std::identity{})) {
    add(section, "p", "No line differs.");
    return;
  }
  std::string text;
  auto figure = with(add(add(section, "figure", "", "source"), "ul"), {{"tabindex", "0"}});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!shown[i]) {
      if (i > 0 && shown[i - 1]) add(figure, "li", "…", "soft");
      continue;
    }
    if (--lines_left < 0) {
      add(section, "p", "The rest is in the archives.", "quiet");
      break;
    }
    const auto& line = lines[i];
    // The sign, too: a colour alone says nothing to many.
    const auto [tag, sign] = line.side == Side::before  ? std::pair{"del", "- "}
                             : line.side == Side::after ? std::pair{"ins", "+ "}
                                                        : std::pair{"code", "  "};
    add(add(figure, "li"), tag, sign + printable(line.text));
  }
}

std::vector<TakenFile> files_of(const Service& service, const HandIn& h) {
  std::vector<TakenFile> files;
  const auto folder = service.folder();
  const auto* const assignment = folder->course.find(h.submission.assignment);
  if (assignment == nullptr) return files;
  files = opgrade::files_of(
      take_stage_files(service.path / h.submission.file, *service.config_of(*assignment)));
  return files;
}

std::optional<HandIn> one_before(const Service& service, const HandIn& h) {
  std::optional<HandIn> before;
  for (HandIn& other : service.queue.of_owner(h.submission.owner, h.submission.assignment))
    if (other.submission.id < h.submission.id) before = std::move(other);
  return before;
}

/// Lines of files on one page: a browser shows a few, and a file of newlines packs well.
constexpr int kMostLines = 5000;

std::string page_of(const HandIn& h) { return fmt::format("/submissions/{}", h.submission.id); }

}  // namespace

std::vector<DifferenceLine> line_difference(const std::string& before, const std::string& after,
                                            DifferenceWork& work) {
  using Side = DifferenceLine::Side;
  const auto a = split(before, '\n'), b = split(after, '\n');
  const std::size_t cost = (a.size() + 1) * (b.size() + 1);
  const bool whole = cost > work.left;
  if (!whole) work.left -= cost;
  // Lengths of the longest common subsequences of what follows line i of one and j of the other.
  std::vector<int> common(whole ? 0 : cost);
  const auto at = [&](std::size_t i, std::size_t j) -> int& {
    return common[i * (b.size() + 1) + j];
  };
  for (std::size_t i = whole ? 0 : a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  std::vector<DifferenceLine> all;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool both = i < a.size() && j < b.size();
    if (both && a[i] == b[j] && !whole) {
      all.push_back({Side::both, a[i++]});
      ++j;
    } else if (i < a.size() && (!both || whole || at(i + 1, j) >= at(i, j + 1))) {
      all.push_back({Side::before, a[i++]});
    } else {
      all.push_back({Side::after, b[j++]});
    }
  }
  return all;
}

void link_owner(xml_node cell, const course::CourseFolder& folder,
                const course::Submission& submission) {
  std::string before = submission.owner.starts_with("team ") ? submission.owner + ": " : "";
  const auto members = folder.members(submission);
  if (members.empty()) append_text(cell, submission.owner);
  for (const auto* const student : members) {
    append_text(cell, std::exchange(before, ", "));
    link_student(cell, *student);
  }
}

Response submissions(Service& service, const Visit& visit) {
  const auto folder = service.folder();
  const ListFilter filter(visit.request);
  return page(service, visit.who, "Submissions",
              [&](xml_node main) {
                add_filter(main, *folder, filter);
                const auto last = last_messages(service);
                const auto grades = service.grades->now(service);
                const auto all = listed(*grades, filter, *visit.who, last);
                auto section = add(main, "section");
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
                HtmlTable table(section, titles);
                for (std::size_t i = 0; i < shown; ++i) {
                  const course::Entry& entry = *all[i].entry;
                  const course::GradedSubmission& graded = *all[i].graded;
                  const bool counts = entry.is_counted(all[i].id());
                  const auto& submission = graded.standing.submission;
                  table.begin_row(counts ? "own" : "");
                  link_submission(table.cell(), submission.id);
                  link_owner(table.cell(), *folder, submission);
                  table.cell(entry.assignment->name);
                  table.cell(folder->course.zone->text(submission.handed_in));
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
              },
              {.trail = {{"Class", "/staff"}}});
}

Response source(Service& service, const Visit& visit) {
  const auto h = own_hand_in(service, visit);
  const bool staff = visit.who->is_staff();
  const auto before =
      visit.request.parameter("with").empty() ? std::nullopt : one_before(service, h);
  const std::string title = before ? fmt::format("Submissions {} and {}: what changed",
                                                 before->submission.id, h.submission.id)
                                   : fmt::format("Files of submission {}", h.submission.id);
  return page(
      service, visit.who, title,
      [&](xml_node main) {
        const auto files = files_of(service, h);
        int lines_left = kMostLines;
        if (files.empty()) add(main, "p", "No stage takes a file of this submission.", "notice");
        if (before) {
          const auto earlier = files_of(service, *before);
          DifferenceWork work;
          for (const TakenFile& file : files) {
            const auto old = std::ranges::find(earlier, file.name, &TakenFile::name);
            add_difference(main, file.name, old == earlier.end() ? "" : old->bytes, file.bytes,
                           work, lines_left);
          }
          return;
        }
        if (const auto other = one_before(service, h))
          link(add(main, "p"),
               fmt::format("What changed since submission {}", other->submission.id),
               page_of(h) + "/source?with=previous");
        std::vector<report::Diagnostic> found;
        if (const auto grade = shown_grade(service, h, grade_for(service, *visit.who, h)))
          found = report::diagnostics_of(
              report::view_for(*grade, staff ? report::Audience::staff : report::Audience::student),
              50);
        for (const TakenFile& file : files)
          add_file(main, file.name, file.bytes, found, lines_left);
      },
      {.trail = {{fmt::format("Submission {}", h.submission.id), page_of(h)}}});
}

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
  const auto folder = service.folder();
  for (const Message& m : all) {
    auto said = add(section, "div", "", "said");
    add(said, "p",
        fmt::format("{}, {}", m.staff && !staff ? "staff" : m.who, folder->course.zone->text(m.at)),
        "soft");
    add(said, "p", m.text, "words");
  }
  if (all.empty()) add(section, "p", staff ? "None yet." : "Staff wrote no comment.", "soft");
  if (who.form_key.empty()) return;
  auto ask = form(section, who, page_of(h) + "/messages");
  with(text_area(ask,
                 staff ? "A comment or an answer, which the student sees"
                       : "Ask staff for a regrade, or a question: say what is wrong",
                 "text"),
       {{"maxlength", fmt::format("{}", kMaxMessage)}});
  button(ask, staff ? "Comment" : "Ask");
  const auto* const student = student_of(*folder, who, h);
  if (student == nullptr) return;
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

Response say(Service& service, const Visit& visit) {
  const auto h = own_hand_in(service, visit);
  auto fields = read_form(visit.request.body);
  std::string text = fields["text"];
  std::erase(text, '\r');
  if (text.find_first_not_of(" \n\t") == std::string::npos)
    throw NotDone(400, "the comment is empty");
  // Each is a line of the audit log.
  const std::string person = "messages of " + visit.who->person;
  const bool staff = visit.who->is_staff();
  if (!staff && !service.flood.may_fail(person))
    throw NotDone(429, "too many comments; wait a minute");
  if (!staff) service.flood.failed(person);
  add_message(service, {h.submission.id, service.now(), visit.who->person, staff, text},
              visit.request.address);
  return see_other(page_of(h) + "?sent=yes#comments");
}

}  // namespace opgrade::service::pages
