// Staff's pages of rejudges: begin one, preview each grade that would change, apply or cancel it.
#include <fmt/format.h>

#include <algorithm>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/outcome.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/queue/rejudges.hpp"
#include "grader/service/state/status.hpp"

namespace opgrade::service::pages {
namespace {

using course::Rejudge;

Rejudge rejudge_in(const Service& service, const Visit& visit) {
  const auto id = whole_number(visit.captured.front());
  for (auto& rejudge : service.store.rejudges())
    if (rejudge.id == id) return std::move(rejudge);
  throw NotDone(404, "there is no such rejudge");
}

std::string address_of(const Rejudge& rejudge) {
  return fmt::format("/staff/rejudges/{}", rejudge.id);
}

constexpr int kAgainAfter = 10;  // s, while a rejudge is graded

/// The state in words. For an open rejudge: how many gradings are done, or that staff must decide.
std::string state_text(const Rejudge& rejudge, const course::GradingCount& gradings) {
  if (rejudge.state != Rejudge::State::open) return std::string(name_of(rejudge.state));
  return fmt::format("{} of {} graded{}", gradings.all - gradings.open, gradings.all,
                     gradings.open == 0 ? ", to be applied or cancelled" : "");
}

/// Adds the form to begin a rejudge. A link, or the chosen rows of a table, fill it in.
void add_order(xml_node main, const Service& service, const Identity& who, const Request& asked) {
  auto section = add_section(main, "Grade again");
  add(section, "p",
      "Grades the submissions that count again, while a worker has nothing else to do. If only "
      "points changed, stored results are scored anew at once. Nothing changes before you apply "
      "it.");
  auto made = form(section, who, "/staff/rejudges");
  std::vector<std::pair<std::string, std::string>> verdicts{{"", "any"}},
      configs{{"", "the assignment's own"}};
  const auto folder = service.files.folder();
  for (const auto& file : course::config_files(folder->path)) configs.emplace_back(file, file);
  for (const auto& outcome : kOutcomes) verdicts.emplace_back(outcome.id, outcome.text);
  choice(made, "Assignment", "assignment", assignment_choices(*folder),
         chosen_assignment(*folder, asked.parameter("assignment"), service.now()));
  choice(made, "Config, of those in the course folder", "config", configs);
  choice(made, "Only with this verdict", "verdict", verdicts, asked.parameter("verdict"));
  field(made, "Only of these students (logins or ids; empty: all)", "student", "text")
      .append_attribute("value") = printable_line(chosen_rows(asked), 4000).c_str();
  field(made, "Only gradings of this machine (a part of its name; empty: all)", "machine", "text");
  field(made, "Only gradings by this opgrade (the start of its version; empty: all)", "version",
        "text");
  choice(made, "Only these grades", "only",
         {{"", "all"},
          {"outdated", "by other rules than those of now"},
          {"open", "with points that are not decided"}});
  choice(made, "Gradings of each; the median counts", "times",
         {{"1", "1"}, {"3", "3"}, {"5", "5"}});
  field(made, "Reason, which students whose points change read", "reason", "text")
      .append_attribute("required") = "required";
  button(made, "Grade again");
}

void add_preview(xml_node main, const Service& service, const Identity& who,
                 const Rejudge& rejudge) {
  const auto folder = service.files.folder();
  auto section = add_section(main, "Preview");
  RejudgePreview preview;
  try {
    preview = preview_of(service, *folder, rejudge);
  } catch (const Error& e) {  // the rejudge's config is gone, or has problems
    add(section, "p", e.what(), "notice");
    button(form(section, who, address_of(rejudge) + "/cancel"), "Cancel", "quiet");
    return;
  }
  if (const auto failed = service.rejudges->failed();
      preview.gradings.open > 0 && std::ranges::find(failed, rejudge.id) == failed.end())
    add(section, "p", "The page loads itself again until all are graded.", "notice");
  for (const auto& line : preview.runs_again) add(section, "p", line + ".");
  add(section, "p", counted(preview.changes.size(), "grade") + " would change.");
  if (!preview.changes.empty()) {
    HtmlTable table(section, {"Student", "Now", "Then"});
    for (const auto& change : preview.changes)
      table.row({{fmt::format("{} ({})", change.student->name, change.student->login)},
                 {change.before},
                 {change.after}});
  }
  if (preview.other_config)
    add(section, "p",
        fmt::format("course.yaml has another config for {}. Name {} there to apply this rejudge.",
                    rejudge.assignment, config_text(service, rejudge.config)),
        "notice");
  auto buttons = add(section, "div", "", "buttons");
  if (preview.gradings.open == 0 && !preview.other_config)
    button(form(buttons, who, address_of(rejudge) + "/apply"), "Apply");
  button(form(buttons, who, address_of(rejudge) + "/cancel"), "Cancel", "quiet");
}

void add_changes(xml_node main, const Service& service, const course::CourseFolder& folder,
                 const Identity& who, const Rejudge& rejudge) {
  const auto* const assignment = folder.course.find(rejudge.assignment);
  if (assignment == nullptr) return;
  const auto changed = course::changed_by(folder, service.store, *assignment, rejudge);
  auto section = add_section(main, "What it changed");
  add(section, "p", counted(changed.size(), "submission") + " got other points.");
  if (changed.empty()) return;
  HtmlTable table(section, {"Submission", "Student", "Points"});
  for (const auto& [submission, text] : changed) {
    table.begin_row();
    link_submission(table.cell(), submission.id);
    link_owner(table.cell(), folder, who, submission);
    table.cell(text);
  }
}

/// Runs `work`. Errors become answers that tell staff the remedy.
void with_hints(const std::function<void()>& work) {
  try {
    work();
  } catch (const UsageError& e) {
    throw NotDone(409, fmt::format("{}: {}", e.what(), e.hint));
  } catch (const Error& e) {
    throw NotDone(503, fmt::format("{}: {}", e.what(), e.hint));
  }
}

}  // namespace

Response rejudges(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  const auto all = service.store.rejudges();
  std::map<std::int64_t, course::GradingCount> gradings;  // of the open rejudges
  bool in_work = false;
  for (const Rejudge& r : all)
    if (r.state == Rejudge::State::open)
      in_work |= (gradings[r.id] = gradings_of(service.store, r)).open > 0;
  return page(service, visit.who, "Rejudges",
              [&](xml_node main) {
                auto section = all.empty() ? xml_node() : add(main, "section");
                for (auto r = all.rbegin(); r != all.rend(); ++r)
                  link(add(section, "p"),
                       fmt::format("{}, {}: {} - {} ({}, {})", r->id, r->assignment,
                                   state_text(*r, gradings[r->id]), r->reason, r->who,
                                   folder->course.zone->text(r->at)),
                       address_of(*r));
                add_order(main, service, *visit.who, visit.request);
              },
              {.again_after_s = in_work ? kAgainAfter : 0, .trail = {{"Class", "/staff"}}});
}

Response begin_rejudge(Service& service, const Visit& visit) {
  auto fields = read_form(visit.request.body);
  const auto folder = service.files.folder();
  const auto& assignment = assignment_in(*folder, fields["assignment"]);
  course::RejudgeOrder order;
  order.filter.verdict = fields["verdict"];
  order.filter.student = fields["student"];
  order.filter.machine = fields["machine"];
  order.filter.version = fields["version"];
  order.filter.outdated = fields["only"] == "outdated";
  order.filter.open = fields["only"] == "open";
  order.config = fields["config"];
  order.who = visit.who->person;
  order.reason = fields["reason"];
  if (const std::string& times = fields["times"]; !times.empty())
    order.repeat = whole_number<int>(times).value_or(0);
  Rejudge begun;
  with_hints([&] { begun = service::begin_rejudge(service, assignment, order); });
  service.audit(*visit.who, visit.request.address, "begin rejudge",
                fmt::format("{} of {}: {}", begun.id, begun.assignment, begun.reason));
  return see_other(address_of(begun));
}

Response rejudge(Service& service, const Visit& visit) {
  const auto found = rejudge_in(service, visit);
  const bool open = found.state == Rejudge::State::open;
  const auto gradings = open ? gradings_of(service.store, found) : course::GradingCount{};
  return page(
      service, visit.who, fmt::format("Rejudge {}", found.id),
      [&](xml_node main) {
        auto section = add(main, "section");
        const auto folder = service.files.folder();
        add(section, "p",
            fmt::format("{}: {}; {} of each, by {}.", found.assignment, found.filter,
                        counted(found.repeat, "grading"), config_text(service, found.config)));
        add(section, "p",
            fmt::format("{} began it at {}: {}", found.who, folder->course.zone->text(found.at),
                        found.reason));
        add(section, "p",
            state_text(found, gradings) +
                (found.decided_by.empty()
                     ? ""
                     : fmt::format(" by {} at {}", found.decided_by,
                                   folder->course.zone->text(found.decided_at))));
        if (const auto why = why_rejudge_waits(service, found); gradings.open > 0 && !why.empty())
          add(section, "p", fmt::format("It {}.", why), "notice");
        if (open) add_preview(main, service, *visit.who, found);
        if (found.state == Rejudge::State::applied)
          add_changes(main, service, *folder, *visit.who, found);
      },
      {.again_after_s = gradings.open > 0 ? kAgainAfter : 0,
       .trail = {{"Class", "/staff"}, {"Rejudges", "/staff/rejudges"}}});
}

Response decide_rejudge(Service& service, const Visit& visit) {
  const bool apply = visit.request.path.ends_with("/apply");
  const auto rejudge = rejudge_in(service, visit);
  with_hints([&] { service::decide_rejudge(service, rejudge, apply, visit.who->person); });
  service.audit(*visit.who, visit.request.address, apply ? "apply rejudge" : "cancel rejudge",
                fmt::format("{} of {}", rejudge.id, rejudge.assignment));
  return see_other(address_of(rejudge));
}

}  // namespace opgrade::service::pages
