#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/rubric_csv.hpp"
#include "grader/report/html/html.hpp"
#include "grader/service/pages/class_grades.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/state/marking.hpp"
#include "grader/service/state/messages.hpp"
#include "grader/service/state/ranking.hpp"

namespace opgrade::service::pages {
namespace {

void add_workers(xml_node main, const Service& service, const Identity& who) {
  auto section = add_section(main, "Workers");
  if (const Dispatcher* const dispatcher = service.dispatcher()) {
    const bool draining = dispatcher->draining();
    add(section, "p",
        fmt::format("{}, {}.", counted(dispatcher->workers(), "worker"),
                    draining ? "stopped by staff" : "taking submissions"));
    auto buttons = add(section, "div", "", "buttons");
    if (draining) {
      button(form(buttons, who, "/staff/start"), "Start the workers");
    } else {
      button(form(buttons, who, "/staff/drain"), "Stop after what runs", "quiet");
    }
    button(form(buttons, who, "/staff/stop"), "Stop at once, and queue again what runs", "quiet");
  }
}

/// Adds the state of this machine, whose clocks and temperature can be read.
void add_machine(xml_node main, const Service& service) {
  const MachineState machine = service.options.machine();
  auto section = add_section(main, "Machine");
  add(section, "p",
      fmt::format("{}: {}, sandbox tier '{}'", machine.host, counted(machine.cpus, "CPU"),
                  machine.sandbox_tier));
  if (const auto hours = service.files.gpu_hours(); !hours.empty())
    add(section, "p",
        fmt::format("The GPU's hours (course.yaml, gpu: hours): {}. No GPU grading begins outside.",
                    hours));
  if (machine.gpus.empty()) {
    add(section, "p", "No GPU: GPU stages run on the emulated device.", "soft");
    return;
  }
  const auto number = [](const std::optional<int>& value, const char* unit) {
    return value ? fmt::format("{} {}", *value, unit) : std::string("not known");
  };
  HtmlTable table(section, {"GPU", "Clock", "Highest clock", "Temperature", "Throttling"},
                  {false, true, true, true, false});
  for (const GpuState& gpu : machine.gpus)
    table.row(
        {{fmt::format("{} ({})", gpu.gpu.name, gpu.gpu.uuid)},
         {number(gpu.sm_clock_mhz, "MHz")},
         {number(gpu.highest_sm_clock_mhz, "MHz")},
         {number(gpu.temperature_c, "°C")},
         {!gpu.throttled_by           ? "not known"
          : gpu.throttled_by->empty() ? "none"
                                      : fmt::format("{}", fmt::join(*gpu.throttled_by, ", "))}},
        gpu.throttled_by.value_or(std::vector<std::string>{}).empty() ? "" : "throttled");
}

void add_queue(xml_node main, const Service& service, const Identity& who) {
  auto section = add_section(main, "Queue");
  if (!service.files.folder()->course.practice.empty())
    link(add(section, "p"), "Practice runs: whose, and their time", "/staff/practice");
  if (const auto name = service.queue.setting(kReference); !name.empty())
    add(section, "p",
        fmt::format("The reference solution of {} is being graded, as a test of its config.",
                    name));
  const auto places = queue_now(service);
  if (places.empty()) {
    add(section, "p", "The queue is empty.");
    return;
  }
  HtmlTable table(section, {"Submission", "Student", "Assignment", "Worker", "Place"});
  const auto folder = service.files.folder();
  for (const Place& p : places) {
    if (!may_see(service, who, p.hand_in)) continue;
    table.begin_row();
    link_submission(table.cell(), p.hand_in.submission.id);
    link_owner(table.cell(), *folder, who, p.hand_in.submission);
    table.cell(p.hand_in.submission.assignment);
    table.cell(p.position == 0 ? p.hand_in.worker : "-");
    table.cell(place_text(p));
  }
}

/// Adds the problems that need staff.
void add_problems(xml_node main, const Service& service, const Identity& who) {
  const auto stuck = service.queue.with_state(State::stuck);
  const auto texts = problems_for_staff(service);
  const auto failed = service.rejudges->failed();
  std::vector<course::Rejudge> undecided;
  for (auto& rejudge : service.store.rejudges())
    if (rejudge.state == course::Rejudge::State::open &&
        gradings_of(service.store, rejudge).open == 0)
      undecided.push_back(std::move(rejudge));
  std::map<std::string, std::int64_t> asked;  // requests by the page that lists them
  for (const auto& [id, last] : last_messages(service)) {
    const auto about = last.staff ? std::nullopt : service.queue.find(id);
    if (!about || !may_see(service, who, *about)) continue;
    const std::string& of = about->submission.assignment;
    ++asked[about->is_document() ? "/staff/marking/" + of.substr(course::kDocuments.size())
                                 : "/staff/submissions?disputed=on"];
  }
  if (stuck.empty() && texts.empty() && failed.empty() && undecided.empty() && asked.empty())
    return;
  auto section = add_section(main, "Needs a person");
  for (const auto& text : texts) add(section, "pre", text);
  for (const auto& [address, count] : asked)
    link(add(section, "p"), counted(count, "submission") + " with a request for a regrade",
         address);
  for (const std::int64_t id : failed)
    link(add(section, "p"), fmt::format("Rejudge {}: its gradings failed", id),
         fmt::format("/staff/rejudges/{}", id));
  for (const auto& rejudge : undecided)
    link(add(section, "p"),
         fmt::format("Rejudge {} of {} is graded: apply or cancel it", rejudge.id,
                     rejudge.assignment),
         fmt::format("/staff/rejudges/{}", rejudge.id));
  for (const HandIn& h : stuck) {
    const std::string id = fmt::format("{}", h.submission.id);
    auto line = add(section, "div", "", "problem");
    link(add(line, "p"),
         fmt::format("Submission {} of {} for {}: the grader failed {}", id, h.submission.owner,
                     h.submission.assignment, counted(h.faults, "time")),
         "/submissions/" + id);
    button(form(line, who, "/staff/submissions/" + id + "/requeue"), "Grade it again", "quiet");
  }
}

void add_last_gradings(xml_node main, const Service& service, const Identity& who) {
  constexpr int kLookedAt = 200;  // staff of a section see only some of them
  const auto attempts = service.store.last_attempts(kLookedAt);
  if (attempts.empty()) return;
  const auto folder = service.files.folder();
  auto section = add_section(main, "Last gradings");
  HtmlTable table(section, {"Submission", "Student", "Assignment", "Started", "Machine", "Device",
                            "Sandbox", "Outcome"});
  constexpr int kShown = 10;
  int shown = 0;
  for (const auto& [a, submission] : attempts) {
    if (!may_see(service, who, HandIn{.submission = submission})) continue;
    if (++shown > kShown) break;
    table.begin_row();
    link_submission(table.cell(), submission.id);
    link_owner(table.cell(), *folder, who, submission);
    table.cell(submission.assignment);
    table.cell(course::local_text(a.started, *folder->course.zone), "time");
    table.cell(a.machine);
    table.cell(a.device);
    table.cell(a.tier);
    table.cell(words(a.outcome).text, report::outcome_css(a.outcome));
  }
}

/// The assignments with a ranking, for whose names staff may want to know the students.
std::vector<const course::Assignment*> ranked_openly(const Service& service,
                                                     const course::CourseFolder& folder) {
  std::vector<const course::Assignment*> ranked;
  for (const auto& a : folder.course.assignments)
    if (is_ranked(*service.files.config_of(a))) ranked.push_back(&a);
  return ranked;
}

void add_class(xml_node main, const Service& service, const Identity& who,
               const ClassQuery& query) {
  auto section = with(add_section(main, "Grades"), {{"class", "class"}});
  const auto grades = service.grades->now(service);
  const auto& folder = grades->folder;
  for (const auto& of : grades->assignments) {
    const auto& a = *of->assignment;
    const auto outdated = std::ranges::count_if(of->entries, &course::Entry::outdated);
    if (outdated > 0 && who.is_of_whole_course())
      link(add(section, "p", "", "notice"),
           fmt::format("{}: {} by other rules than those of now", a.name,
                       counted(outdated, "grade is", "grades are")),
           "/staff/rejudges");
  }
  if (who.is_of_whole_course()) add_sections(section, folder->roster, "/staff", query.section);
  auto pages_of = with(add(section, "nav"), {{"aria-label", "Assignments"}});
  for (const auto& a : folder->course.assignments)
    link(pages_of, heading_of(a), of_a_section("/staff/assignments/" + a.name, query.section));
  if (!folder->course.reports.empty()) {
    auto reports = with(add(section, "nav"), {{"aria-label", "Reports"}});
    for (const auto& documents : folder->course.reports) {
      const auto list = documents_to_mark(service, who, documents.report_of, query.section);
      const auto open = std::ranges::count_if(
          list.all, [](const DocumentToMark& one) { return !one.report().is_marked(); });
      link(reports, fmt::format("Reports of {}: {} to mark", documents.report_of, open),
           of_a_section("/staff/marking/" + documents.report_of, query.section));
    }
  }
  const auto ranked = ranked_openly(service, *folder);
  if (!ranked.empty()) {
    auto rankings = with(add(section, "nav"), {{"aria-label", "Rankings"}});
    for (const auto* const a : ranked)
      link(rankings, "Ranking of " + a->name, "/assignments/" + a->name);
  }
  add_class_grades(section, service, who, *grades, query);
  if (!who.is_of_whole_course()) return;
  auto finals = add(section, "p", "Export the final points: ");
  for (const std::string& format : course::table_formats()) {
    if (course::is_about_marks(format)) continue;  // the page Reports has them
    link(finals, format, fmt::format("/staff/gradebook/{}", format));
    append_text(finals, " ");
  }
  auto files = add(section, "p", "Export the submissions that count: ");
  for (const auto& a : folder->course.assignments) {
    link(files, a.name, "/staff/finals/" + encode_percent(a.name));
    append_text(files, " ");
  }
}

/// The page about the subject of a line of the audit log; empty if it has none.
std::string address_of(const AuditLine& line, const course::CourseFolder& folder) {
  const auto words = split(line.subject.substr(0, line.subject.find(':')), ' ');
  if (words.empty()) return "";
  const bool of_upload = line.action == "submit" && words.size() > 1;  // "m1 12 of ada"
  const std::string& first = words[of_upload ? 1 : 0];
  const bool is_number = whole_number(first).has_value();
  static constexpr std::array kOfSubmission{"comment", "ask for a regrade", "submit",
                                            "cancel",  "requeue",           "mark"};
  if (is_number && line.action.ends_with("rejudge")) return "/staff/rejudges/" + first;
  if (is_number && std::ranges::find(kOfSubmission, line.action) != kOfSubmission.end())
    return "/submissions/" + first;
  if (line.action == "announce" || line.action == "end announcement") return "/staff/announcements";
  const auto* const student = folder.roster.find(first);
  return student != nullptr && student->login == first
             ? "/staff/students/" + encode_percent(student->login)
             : "";
}

}  // namespace

std::string of_a_section(const std::string& address, const std::string& section) {
  return section.empty() ? address : address + "?section=" + encode_percent(section);
}

void add_sections(xml_node parent, const course::Roster& roster, const std::string& address,
                  const std::string& chosen) {
  std::set<std::string> sections;
  for (const auto& student : roster.students)
    if (!student.section.empty()) sections.insert(student.section);
  if (sections.empty()) return;
  auto line = with(add(parent, "nav"), {{"aria-label", "Sections"}});
  const auto add_way = [&](const std::string& text, const std::string& to, bool is_here) {
    auto way = link(line, text, to);
    if (is_here) way.append_attribute("aria-current") = "page";
  };
  add_way("All", address, chosen.empty());
  for (const auto& one : sections)
    add_way("Section " + one, of_a_section(address, one), one == chosen);
}

Response class_table(Service& service, const Visit& visit) {
  constexpr int kAgainAfter = 60;  // s
  return page(service, visit.who, "Class",
              [&](xml_node main) {
                if (visit.who->is_of_whole_course()) add_problems(main, service, *visit.who);
                add_queue(main, service, *visit.who);
                try {
                  add_class(main, service, *visit.who, class_query(visit.request));
                } catch (const Error&) {
                  // The config was never valid; add_problems() names the problem.
                }
                add_last_gradings(main, service, *visit.who);
                add_workers(main, service, *visit.who);
                add_machine(main, service);
              },
              {.again_after_s = kAgainAfter});
}

Response practice(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  return page(service, visit.who, "Practice runs",
              [&](xml_node main) {
                auto section = add(main, "section");
                const auto uses = service.queue.practice_use(service.now() - std::chrono::hours(24),
                                                             service.now());
                add(section, "p",
                    "The time that workers had the practice runs of each student or team. The page "
                    "of a run that is graded has a button that ends it.");
                HtmlTable table(section, {"Student", "Assignment", "Runs", "Last 24 h", "In all"});
                for (const PracticeUse& use : uses) {
                  const course::Submission of{.assignment = use.assignment, .owner = use.owner};
                  if (!may_see(service, *visit.who, HandIn{.submission = of})) continue;
                  table.begin_row();
                  link_owner(table.cell(), *folder, *visit.who, of);
                  table.cell(use.assignment.substr(course::kPractice.size()));
                  table.cell(fmt::format("{}", use.runs));
                  table.cell(fmt::format("{} s", use.since.count()));
                  table.cell(fmt::format("{} s", use.all.count()));
                }
              },
              {.trail = {{"Class", "/staff"}}});
}

Response audit(Service& service, const Visit& visit) {
  return page(service, visit.who, "Audit log",
              [&](xml_node main) {
                HtmlTable table(add(main, "section", "", "wide"),
                                {"Time", "Who", "From", "Action", "Subject"});
                constexpr int kShown = 500;
                const auto folder = service.files.folder();
                for (const AuditLine& line : service.accounts.audit_log(kShown)) {
                  table.begin_row();
                  table.cell(folder->course.zone->text(line.at), "time");
                  for (const std::string& text : {line.who, line.address, line.action})
                    table.cell(text);
                  if (const auto to = address_of(line, *folder); to.empty())
                    table.cell(line.subject);
                  else
                    link(table.cell(), line.subject, to);
                }
              },
              {.trail = {{"Class", "/staff"}}});
}

}  // namespace opgrade::service::pages
