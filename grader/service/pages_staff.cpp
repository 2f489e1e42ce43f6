#include <fmt/format.h>

#include <algorithm>

#include "grader/config/yaml_reader.hpp"
#include "grader/service/api.hpp"
#include "grader/service/pages.hpp"
#include "grader/service/uploads.hpp"

namespace opgrade::service::pages {
namespace {

using report::HtmlTable;

void add_queue(xml_node main, const Service& service, const Identity& who) {
  auto section = add(main, "section");
  add(section, "h2", "Queue");
  const Dispatcher* const dispatcher = service.dispatcher();
  if (dispatcher != nullptr) {
    const bool draining = dispatcher->draining();
    add(section, "p",
        fmt::format("{} workers, {}.", dispatcher->workers(),
                    draining ? "stopped by staff" : "taking submissions"));
    if (const auto why = dispatcher->blocked(); !why.empty()) add(section, "p", why, "notice");
    button(form(section, who, draining ? "/staff/start" : "/staff/drain"),
           draining ? "Start the workers" : "Stop after what runs", "quiet");
  }
  const auto places = queue_now(service);
  std::size_t waiting = 0;
  for (const Place& p : places) waiting += p.position > 0 ? 1 : 0;
  if (places.empty()) add(section, "p", "The queue is empty.");
  HtmlTable table(section, {"Submission", "Owner", "Assignment", "Place"},
                  {true, false, false, false});
  for (const Place& p : places)
    table.row({{fmt::format("{}", p.hand_in.submission.id)},
               {p.hand_in.submission.owner},
               {p.hand_in.submission.assignment},
               {place_text(p, waiting)}});
}

/// Submissions that the grader could not grade.
void add_problems(xml_node main, const Service& service, const Identity& who) {
  const auto stuck = service.queue.with_state(State::stuck);
  const std::string files = service.folder_problem();
  if (stuck.empty() && files.empty()) return;
  auto section = add(main, "section");
  add(section, "h2", "Needs a person");
  if (!files.empty()) add(section, "pre", files);
  for (const HandIn& h : stuck) {
    const std::string id = fmt::format("{}", h.submission.id);
    auto line = add(section, "div", "", "problem");
    link(add(line, "p"),
         fmt::format("Submission {} of {} for {}: the grader failed {} times", id,
                     h.submission.owner, h.submission.assignment, h.faults),
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

std::string cell_of(const Service& service, const course::CourseFolder& folder,
                    const course::Student& student, const course::Assignment& assignment) {
  const auto all =
      service.queue.of_owner(folder.roster.owner_of(student, assignment).key, assignment.name);
  for (auto h = all.rbegin(); h != all.rend(); ++h) {
    if (h->state == State::cancelled) continue;
    if (h->state != State::done) return std::string(name_of(h->state));
    const auto attempts = service.store.attempts(h->submission.id);
    if (attempts.empty()) return "done";
    return fmt::format("{:g} of {:g}", attempts.back().points, attempts.back().max_points);
  }
  return "-";
}

void add_class(xml_node main, const Service& service) {
  const auto folder = service.folder();
  auto section = add(main, "section");
  add(section, "h2", "Class: the newest submissions");
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
      add(cell, "span", cell_of(service, *folder, student, a));
    }
  }
}

}  // namespace

Response class_table(Service& service, const Visit& visit) {
  return page(service, visit.who, "Class", [&](xml_node main) {
    add_problems(main, service, *visit.who);
    add_queue(main, service, *visit.who);
    add_class(main, service);
    add_machines(main, service);
  });
}

Response student(Service& service, const Visit& visit) {
  const auto folder = service.folder();
  const auto* const found = folder->roster.find(visit.captured.front());
  if (found == nullptr)
    return page(service, visit.who, "Not found",
                [](xml_node main) { add(main, "p", "The roster has no such student."); },
                {.status = 404});
  return page(service, visit.who, "As " + found->login + " sees it", [&](xml_node main) {
    fill_home(main, service, {found->login, Role::student, ""});
    auto section = add(main, "section");
    add(section, "h2", "Set points");
    auto made =
        form(section, *visit.who, "/staff/students/" + encode_percent(found->login) + "/points");
    field(made, "Assignment", "assignment", "text").append_attribute("required") = "required";
    field(made, "Points, whatever was graded (empty: take the change back)", "points", "text");
    field(made, "Reason", "reason", "text").append_attribute("required") = "required";
    button(made, "Set the points");
    for (const auto& change : service.store.changes()) {
      if (change.student != found->login) continue;
      add(section, "p",
          fmt::format("{}: {} set {} to {}: {}", folder->course.zone->text(change.at), change.who,
                      change.assignment,
                      change.points ? fmt::format("{:g}", *change.points)
                                    : std::string(name_of(change.kind)),
                      change.reason),
          "soft");
    }
  });
}

Response set_points(Service& service, const Visit& visit) {
  const auto folder = service.folder();
  const auto* const found = folder->roster.find(visit.captured.front());
  auto fields = read_form(visit.request.body);
  const auto refuse = [&](const std::string& why) {
    return page(service, visit.who, "Not done",
                [&](xml_node main) { add(main, "p", why, "notice"); }, {.status = 400});
  };
  if (found == nullptr) return refuse("The roster has no such student.");
  if (folder->course.find(fields["assignment"]) == nullptr)
    return refuse("The course has no such assignment.");
  if (fields["reason"].empty()) return refuse("A reason is needed.");
  course::Change change{.at = service.now(),
                        .who = visit.who->person,
                        .student = found->login,
                        .assignment = fields["assignment"],
                        .kind = course::Change::Kind::none,
                        .reason = fields["reason"]};
  if (!fields["points"].empty()) {
    change.points = parse_number(fields["points"]);
    change.kind = course::Change::Kind::points;
    if (!change.points || *change.points < 0) return refuse("Points are a number from 0 on.");
  }
  service.store.change(change);
  service.audit(
      *visit.who, visit.request.address, "set points",
      fmt::format("{} {} {}: {}", found->login, change.assignment,
                  change.points ? fmt::format("{:g}", *change.points) : "undone", change.reason));
  return see_other("/staff/students/" + encode_percent(found->login));
}

Response audit(Service& service, const Visit& visit) {
  return page(service, visit.who, "Audit log", [&](xml_node main) {
    HtmlTable table(add(main, "section"), {"Time", "Who", "From", "Action", "Subject"},
                    {false, false, false, false, false});
    constexpr int kShown = 500;
    for (const AuditLine& line : service.accounts.audit_log(kShown))
      table.row({{service.folder()->course.zone->text(line.at)},
                 {line.who},
                 {line.address},
                 {line.action},
                 {line.subject}});
  });
}

Response drain(Service& service, const Visit& visit) {
  api::drain(service, visit);
  return see_other("/staff");
}
Response start(Service& service, const Visit& visit) {
  api::start(service, visit);
  return see_other("/staff");
}
Response requeue(Service& service, const Visit& visit) {
  api::requeue(service, visit);
  return see_other("/staff");
}

}  // namespace opgrade::service::pages
