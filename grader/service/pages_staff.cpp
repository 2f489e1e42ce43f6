#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/core/counted.hpp"
#include "grader/core/error.hpp"
#include "grader/service/pages.hpp"
#include "grader/service/rejudges.hpp"

namespace opgrade::service::pages {
namespace {

using report::HtmlTable;

void add_workers(xml_node main, const Service& service, const Identity& who) {
  auto section = add(main, "section");
  add(section, "h2", "Workers");
  if (const Dispatcher* const dispatcher = service.dispatcher()) {
    const bool draining = dispatcher->draining();
    add(section, "p",
        fmt::format("{}, {}.", counted(dispatcher->workers(), "worker"),
                    draining ? "stopped by staff" : "taking submissions"));
    if (const auto why = dispatcher->blocked(); !why.empty()) add(section, "p", why, "notice");
    auto buttons = add(section, "div", "", "buttons");
    if (draining) {
      button(form(buttons, who, "/staff/start"), "Start the workers");
    } else {
      button(form(buttons, who, "/staff/drain"), "Stop after what runs", "quiet");
    }
    button(form(buttons, who, "/staff/stop"), "Stop at once, and queue again what runs", "quiet");
  }
}

/// This machine: the one whose clocks and heat can be asked.
void add_machine(xml_node main, const Service& service) {
  const MachineState machine = service.options.machine();
  auto section = add(main, "section");
  add(section, "h2", "Machine");
  add(section, "p",
      fmt::format("{}: {}, sandbox tier '{}'", machine.host, counted(machine.cpus, "CPU"),
                  machine.sandbox_tier));
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

void add_queue(xml_node main, const Service& service) {
  auto section = add(main, "section");
  add(section, "h2", "Queue");
  const auto places = queue_now(service);
  std::size_t waiting = 0;
  for (const Place& p : places) waiting += p.position > 0 ? 1 : 0;
  if (places.empty()) {
    add(section, "p", "The queue is empty.");
    return;
  }
  HtmlTable table(section, {"Submission", "Owner", "Assignment", "Worker", "Place"},
                  {true, false, false, false, false});
  for (const Place& p : places)
    table.row({{fmt::format("{}", p.hand_in.submission.id)},
               {p.hand_in.submission.owner},
               {p.hand_in.submission.assignment},
               {p.position == 0 ? p.hand_in.worker : "-"},
               {place_text(p, waiting)}});
}

/// Owners of submissions that the roster lacks: nothing of them is graded.
std::vector<std::string> unknown_owners(const Service& service) {
  const auto folder = service.folder();
  std::vector<std::string> unknown;
  for (const auto& a : folder->course.assignments) {
    const auto owners = folder->roster.owners(a);
    for (const auto& s : service.store.submissions(a.name)) {
      if (std::ranges::find(owners, s.owner, &course::Owner::key) == owners.end() &&
          std::ranges::find(unknown, s.owner) == unknown.end())
        unknown.push_back(s.owner);
    }
  }
  return unknown;
}

/// Problems that the service cannot solve alone.
void add_problems(xml_node main, const Service& service, const Identity& who) {
  const auto stuck = service.queue.with_state(State::stuck);
  std::vector<std::string> texts = service.config_problems();
  if (const std::string files = service.folder_problem(); !files.empty())
    texts.insert(texts.begin(), files);
  for (const std::string& trouble : {service.blocked_store(), service.trouble()})
    if (!trouble.empty()) texts.insert(texts.begin(), trouble);
  const auto folder = service.folder();
  std::ranges::move(service.config_warnings(), std::back_inserter(texts));
  for (const auto& owner : unknown_owners(service))
    texts.push_back(fmt::format("The roster lacks {}, who handed in.", owner));
  if (const auto& own = program_version();
      parts_of(service.options.version()).program != parts_of(own).program)
    texts.push_back(fmt::format(
        "opgrade was replaced on this machine. It grades as {} from now on; these pages "
        "are made by {} until opgrade serve is started again.",
        service.options.version(), own));
  const auto failed = service.rejudges->failed();
  const Dispatcher* const dispatcher = service.dispatcher();
  if (dispatcher != nullptr && dispatcher->workers() == 0)
    texts.emplace_back("This server has no workers (--workers 0), so it grades nothing.");
  if (stuck.empty() && texts.empty() && failed.empty()) return;
  auto section = add(main, "section");
  add(section, "h2", "Needs a person");
  for (const auto& text : texts) add(section, "pre", text);
  for (const std::int64_t id : failed)
    link(add(section, "p"), fmt::format("Rejudge {}: its gradings failed", id),
         fmt::format("/staff/rejudges/{}", id));
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

void add_machines(xml_node main, const Service& service) {
  auto attempts = service.store.attempts();
  if (attempts.empty()) return;
  auto section = add(main, "section");
  add(section, "h2", "Last gradings and their machines");
  HtmlTable table(section, {"Started", "Machine", "Device", "Sandbox", "Outcome"},
                  {false, false, false, false, false});
  constexpr int kShown = 10;
  int shown = 0;
  for (auto a = attempts.rbegin(); a != attempts.rend() && shown < kShown; ++a, ++shown)
    table.row({{a->started},
               {a->machine},
               {a->device},
               {a->tier},
               {std::string(words(a->outcome).text)}});
}

/// "72.5 of 80", with what is not final about it.
std::string cell_of(const Service& service, const course::CourseFolder& folder,
                    const course::Entry& entry) {
  std::string text = grade_text(entry) + (entry.outdated ? ", by other rules" : "");
  const auto all = service.queue.of_owner(
      folder.roster.owner_of(*entry.student, *entry.assignment).key, entry.assignment->name);
  if (!all.empty() && (all.back().state == State::queued || all.back().state == State::running))
    text += fmt::format(", one {}", name_of(all.back().state));
  return text;
}

void add_class(xml_node main, const Service& service) {
  const auto folder = service.folder();
  const auto book = gradebook_of(service, *folder);
  auto section = add(main, "section");
  add(section, "h2", "Class");
  for (const auto& a : folder->course.assignments) {
    const auto outdated = std::ranges::count_if(folder->roster.students, [&](const auto& student) {
      return book.entry(student, a).outdated;
    });
    if (outdated > 0)
      link(add(section, "p", "", "notice"),
           fmt::format("{}: {} by other rules than those of now", a.name,
                       counted(outdated, "grade is", "grades are")),
           "/staff/rejudges");
  }
  auto table = add(section, "table");
  auto head = add(add(table, "thead"), "tr");
  add(head, "th", "Student").append_attribute("scope") = "col";
  for (const auto& a : folder->course.assignments)
    add(head, "th", a.name).append_attribute("scope") = "col";
  auto body = add(table, "tbody");
  for (const auto& student : folder->roster.students) {
    auto row = add(body, "tr");
    auto name = add(row, "td");
    name.append_attribute("data-label") = "Student";
    link(add(name, "span"), fmt::format("{} ({})", student.name, student.login),
         "/staff/students/" + encode_percent(student.login));
    for (const auto& a : folder->course.assignments) {
      auto cell = add(row, "td");
      cell.append_attribute("data-label") = a.name.c_str();
      add(cell, "span", cell_of(service, *folder, book.entry(student, a)));
    }
  }
  auto finals = add(section, "p", "Export the final points: ");
  for (const char* format : {"plain", "canvas", "gradescope", "moodle"}) {
    link(finals, format, fmt::format("/staff/gradebook/{}", format));
    finals.append_child(pugi::node_pcdata).set_value(" ");
  }
  auto files = add(section, "p", "Export the submissions that count: ");
  for (const auto& a : folder->course.assignments) {
    link(files, a.name, "/staff/finals/" + encode_percent(a.name));
    files.append_child(pugi::node_pcdata).set_value(" ");
  }
}

}  // namespace

Response class_table(Service& service, const Visit& visit) {
  return page(service, visit.who, "Class", [&](xml_node main) {
    add_problems(main, service, *visit.who);
    add_workers(main, service, *visit.who);
    add_machine(main, service);
    add_queue(main, service);
    try {
      add_class(main, service);
    } catch (const Error&) {
      // A config of no good content yet: add_problems() names it.
    }
    add_machines(main, service);
  });
}

Response audit(Service& service, const Visit& visit) {
  return page(service, visit.who, "Audit log", [&](xml_node main) {
    HtmlTable table(add(main, "section"), {"Time", "Who", "From", "Action", "Subject"},
                    {false, false, false, false, false});
    constexpr int kShown = 500;
    const auto folder = service.folder();
    for (const AuditLine& line : service.accounts.audit_log(kShown))
      table.row({{folder->course.zone->text(line.at)},
                 {line.who},
                 {line.address},
                 {line.action},
                 {line.subject}});
  });
}

}  // namespace opgrade::service::pages
