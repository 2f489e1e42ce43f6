#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/course/pack.hpp"
#include "grader/course/why.hpp"
#include "grader/report/events.hpp"
#include "grader/report/exporters.hpp"
#include "grader/report/html_style.hpp"
#include "grader/report/verdict.hpp"
#include "grader/score/rank.hpp"
#include "grader/service/api.hpp"
#include "grader/service/pages.hpp"
#include "grader/service/ranking.hpp"
#include "grader/service/rejudges.hpp"
#include "grader/service/secret.hpp"
#include "grader/service/uploads.hpp"

namespace opgrade::service::pages {
namespace {

using course::Assignment;
using report::HtmlTable;

Response no_submission(Service& service, const Visit& visit) {
  return not_done(service, visit, 404, "You have no such submission.");
}

/// "passed, 80 of 100 points, -10 % of the points (1 day late); counts".
std::string verdict_of(const course::Entry* entry, const HandIn& h) {
  if (h.state != State::done) return std::string(name_of(h.state));
  const auto* const graded = entry != nullptr ? entry->find(h.submission.id) : nullptr;
  if (graded == nullptr || !graded->result.earned) return "done";
  const bool counts = entry->is_counted(h.submission.id);
  const std::string& why_not = graded->standing.why_not;
  return fmt::format("{}, {}{}{}", words(graded->result.decisive().outcome).text,
                     course::points_text(*graded, *entry->assignment), counts ? "; counts" : "",
                     why_not.empty() ? "" : "; does not count: " + why_not);
}

/// The grade of an assignment, with how it came about where `whole`.
void add_grade(xml_node parent, const course::CourseFolder& folder, const course::Entry& entry,
               bool whole) {
  add(parent, "p", "Grade: " + grade_text(entry), "verdict");
  if (!whole) return;
  auto list = add(parent, "ul");
  for (const auto& line : derivation(entry, folder, report::Audience::student))
    add(list, "li", line);
}

void add_history(xml_node parent, const course::CourseFolder& folder, const course::Entry* entry,
                 const std::vector<HandIn>& all) {
  if (all.empty()) {
    add(parent, "p", "No submissions yet.");
    return;
  }
  auto table = add(parent, "table");
  auto head = add(add(table, "thead"), "tr");
  for (const char* title : {"Submission", "Handed in", "By", "Verdict"})
    add(head, "th", title).append_attribute("scope") = "col";
  auto body = add(table, "tbody");
  for (auto h = all.rbegin(); h != all.rend(); ++h) {
    auto row = add(body, "tr");
    const auto cell = [&](const char* label, const std::string& text) {
      auto made = add(row, "td");
      made.append_attribute("data-label") = label;
      return add(made, "span", text);
    };
    link(cell("Submission", ""), fmt::format("{}", h->submission.id),
         fmt::format("/submissions/{}", h->submission.id));
    cell("Handed in", folder.course.zone->text(h->submission.handed_in));
    cell("By", h->person);
    cell("Verdict", verdict_of(entry, *h));
  }
}

/// Op Time over the submissions where the assignment ranks it openly; else points.
void add_plot(xml_node parent, const Service& service, const course::Entry& entry,
              const std::vector<HandIn>& all) {
  const auto config = service.config_of(*entry.assignment);
  const bool timed = is_ranked(*config);
  std::vector<double> values;
  for (const HandIn& h : all) {
    const auto* const graded = entry.find(h.submission.id);
    if (h.state != State::done || graded == nullptr || !graded->result.earned) continue;
    if (!timed) {
      values.push_back(graded->after_late);
      continue;
    }
    const Contender c = service.contenders->of(graded->result.counted, *config->ranking);
    if (c.entry == Entry::timed) values.push_back(c.time_ms);
  }
  plot(parent, timed ? "Op Time" : "Points", timed ? "ms" : "points", values);
}

/// The student who reads a page of assignments; nullptr for one whom the roster lost.
const course::Student* reader_in(const course::CourseFolder& folder, const Identity& who) {
  return who.role == Role::student ? folder.roster.find(who.person) : nullptr;
}

void add_ranking(xml_node main, const Service& service, const Assignment& assignment,
                 const std::string& own, const Identity& who) {
  const Ranking ranking = ranking_of(service, assignment, own);
  if (!ranking.why_none.empty()) return;
  auto section = add(main, "section");
  add(section, "h2", "Ranking");
  add(section, "p", ranking.own_text);
  HtmlTable table(section, {"Rank", "Name", "Op Time"}, {true, false, true});
  for (const RankingRow& row : ranking.rows)
    table.row({{fmt::format("{}", *row.rank)},
               {row.own ? row.name + " (you)" : row.name},
               {fmt::format("{:.4g} ms", row.time_ms)}},
              row.own ? "own" : "");
  if (own.empty() || who.form_key.empty()) return;
  auto choose = form(section, who, "/ranking-name");
  auto name = field(choose, "Name in the ranking (empty: an alias)", "name", "text");
  name.append_attribute("maxlength") = 40;
  name.append_attribute("value") = chosen_names(service)[own].c_str();
  auto back = choose.append_child("input");
  back.append_attribute("type") = "hidden";
  back.append_attribute("name") = "assignment";
  back.append_attribute("value") = assignment.name.c_str();
  button(choose, "Save the name", "quiet");
}

/// The place in the queue; a blank where it has none, for the script to fill.
std::string place_now(const Service& service, std::int64_t submission) {
  const auto places = queue_now(service);
  const auto waiting = std::ranges::count_if(places, [](const Place& p) { return p.position > 0; });
  for (const Place& p : places)
    if (p.hand_in.submission.id == submission)
      return place_text(p, static_cast<std::size_t>(waiting));
  return " ";
}

const Assignment* assignment_in(const course::CourseFolder& folder, const Visit& visit) {
  return visit.captured.empty() ? nullptr : folder.course.find(visit.captured.front());
}

/// One archive, or the files packed. The names are those that the browser gives.
std::string packed(const std::vector<FormPart>& parts) {
  std::map<std::string, std::string> files;
  for (const FormPart& part : parts) {
    if (part.name != "files" || part.file_name.empty()) continue;
    if (!course::archive_ending(part.file_name).empty()) return part.bytes;
    const auto slash = part.file_name.find_last_of("/\\");
    const std::string base =
        slash == std::string::npos ? part.file_name : part.file_name.substr(slash + 1);
    if (!base.empty()) files[base] = part.bytes;
  }
  return files.empty() ? "" : course::pack(files);
}

}  // namespace

std::string heading_of(const Assignment& a) {
  return a.title.empty() || a.title == a.name ? a.name : fmt::format("{}: {}", a.name, a.title);
}

Response style(Service&, const Visit&) {
  return {200,
          "text/css",
          std::string(report::kHtmlStyle) + kStyle,
          {{"Cache-Control", "max-age=3600"}}};
}
Response script(Service&, const Visit&) {
  return {200, "text/javascript", kScript, {{"Cache-Control", "max-age=3600"}}};
}

void fill_home(xml_node main, Service& service, const Identity& student, const std::string& base) {
  const auto folder = service.folder();
  const auto places = queue_now(service);
  std::size_t waiting = 0;
  for (const Place& p : places) waiting += p.position > 0 ? 1 : 0;
  for (const Assignment& a : folder->course.assignments) {
    auto section = add(main, "section");
    auto title = add(section, "h2");
    link(title, heading_of(a), base + a.name);
    const auto owner = owner_of(*folder, student, a);
    const auto due = owner ? due_of(*owner, a).deadline : a.deadline;
    add(section, "p", "Due " + folder->course.zone->text(due));
    const auto* const reader = reader_in(*folder, student);
    if (!owner || reader == nullptr) continue;
    const auto entry = entry_of(service, *folder, *reader, a);
    add_grade(section, *folder, entry, false);
    add(section, "p", allowance_of(service, a, owner->key).text(), "soft");
    for (const Place& p : places)
      if (p.hand_in.submission.owner == owner->key && p.hand_in.submission.assignment == a.name)
        link(add(section, "p"),
             fmt::format("Submission {}: {}", p.hand_in.submission.id, place_text(p, waiting)),
             fmt::format("/submissions/{}", p.hand_in.submission.id));
    auto all = service.queue.of_owner(owner->key, a.name);
    if (all.size() > 5) all.erase(all.begin(), all.end() - 5);
    add_history(section, *folder, &entry, all);
  }
  add(main, "p",
      fmt::format("The queue has {} waiting and {} being graded.", waiting,
                  places.size() - waiting),
      "soft");
}

Response home(Service& service, const Visit& visit) {
  if (visit.who->role == Role::staff) return see_other("/staff");
  return page(service, visit.who, "Assignments",
              [&](xml_node main) { fill_home(main, service, *visit.who); });
}

void fill_assignment(xml_node main, Service& service, const Identity& who, const Assignment& a) {
  const auto folder = service.folder();
  const auto owner = owner_of(*folder, who, a);
  if (owner) {
    auto section = add(main, "section");
    add(section, "h2", "Hand in");
    add(section, "p",
        fmt::format("Due {}; {}.", folder->course.zone->text(due_of(*owner, a).deadline),
                    allowance_of(service, a, owner->key).text()));
    auto upload = form(section, who, "/assignments/" + a.name, "multipart/form-data");
    upload.append_attribute("class") = "drop";
    auto key = upload.append_child("input");
    key.append_attribute("type") = "hidden";
    key.append_attribute("name") = "key";
    key.append_attribute("value") = new_secret().c_str();
    auto parts = upload.append_child("fieldset");
    if (who.form_key.empty()) parts.append_attribute("disabled") = "disabled";
    auto files =
        field(parts, "Choose source files or one archive (.zip, .tar.gz), or drop them here",
              "files", "file");
    files.append_attribute("multiple") = "multiple";
    files.append_attribute("required") = "required";
    button(parts, "Hand in");
    const auto* const reader = reader_in(*folder, who);
    const auto all = service.queue.of_owner(owner->key, a.name);
    auto history = add(main, "section");
    if (reader != nullptr) {
      const auto entry = entry_of(service, *folder, *reader, a);
      add_grade(history, *folder, entry, true);
      add(history, "h2", "Submissions");
      add_plot(history, service, entry, all);
      add_history(history, *folder, &entry, all);
    }
  }
  add_ranking(main, service, a, owner ? owner->key : "", who);
}

Response assignment(Service& service, const Visit& visit) {
  const auto folder = service.folder();
  const Assignment* const a = assignment_in(*folder, visit);
  if (a == nullptr) return not_done(service, visit, 404, "The course has no such assignment.");
  return page(service, visit.who, heading_of(*a),
              [&](xml_node main) { fill_assignment(main, service, *visit.who, *a); });
}

Response hand_in(Service& service, const Visit& visit) {
  const auto folder = service.folder();
  const Assignment* const a = assignment_in(*folder, visit);
  if (a == nullptr) return not_done(service, visit, 404, "The course has no such assignment.");
  const auto parts = read_multipart(visit.request.header("content-type"), visit.request.body);
  if (!parts) return not_done(service, visit, 400, "The form cannot be read; load the page again.");
  std::string key;
  for (const FormPart& part : *parts)
    if (part.name == "key") key = part.bytes;
  std::string bytes = packed(*parts);
  if (bytes.empty()) return not_done(service, visit, 400, "Choose at least one file.");
  const auto result =
      take_upload(service, {*visit.who, visit.request.address, a->name, key, std::move(bytes), ""});
  if (const auto* refused = std::get_if<Refused>(&result))
    return not_done(service, visit, refused->status, refused->why);
  return see_other(fmt::format("/submissions/{}", std::get<Taken>(result).hand_in.submission.id));
}

Response submission(Service& service, const Visit& visit) {
  const auto h = own_hand_in(service, visit);
  if (!h) return no_submission(service, visit);
  const std::string address = fmt::format("/submissions/{}", h->submission.id);
  const bool over = is_over(h->state);
  const HandInGrade of = grade_for(service, *visit.who, *h);
  return page(service, visit.who,
              fmt::format("Submission {} for {}", h->submission.id, h->submission.assignment),
              [&](xml_node main) {
                auto section = add(main, "section");
                add(section, "p", verdict_of(of.entry ? &*of.entry : nullptr, *h), "verdict");
                if (of.entry) add_grade(section, *of.folder, *of.entry, true);
                add(section, "p",
                    fmt::format("Handed in by {} at {}.", h->person,
                                service.folder()->course.zone->text(h->submission.handed_in)));
                if (!over) {
                  auto place = add(section, "p", place_now(service, h->submission.id));
                  place.append_attribute("id") = "place";
                  place.append_attribute("aria-live") = "polite";
                }
                if (h->state == State::done)
                  link(add(section, "p"), "The whole report", address + "/report");
                link(add(section, "p"), "The submitted files",
                     fmt::format("/api/submissions/{}/archive", h->submission.id));
                if (h->state == State::queued && !visit.who->form_key.empty())
                  button(form(section, *visit.who, address + "/cancel"), "Take it back", "quiet");
                auto steps = add(main, "section");
                add(steps, "h2", "Steps");
                auto list = add(steps, "ol");
                list.append_attribute("aria-live") = "polite";
                if (!over) {
                  list.append_attribute("id") = "log";
                  list.append_attribute("data-id") = static_cast<long long>(h->submission.id);
                }
                for (const StoredEvent& e : service.queue.events(h->submission.id, 0))
                  if (const auto line = report::event_text(e.event, report::Audience::student);
                      !line.empty())
                    add(list, "li", line).append_attribute("data-event") =
                        static_cast<long long>(e.id);
                const auto grade = shown_grade(service, *h, of);
                if (!grade) return;
                auto said = add(main, "section");
                add(said, "h2", "Report");
                add(said, "pre", report::exporter("text").write(*grade, {}));
              },
              {.live = !over});
}

Response report(Service& service, const Visit& visit) {
  const auto h = own_hand_in(service, visit);
  if (!h) return no_submission(service, visit);
  const auto grade = shown_grade(service, *h, grade_for(service, *visit.who, *h));
  if (!grade) return not_done(service, visit, 404, "There is no result yet.");
  // The report has a style of its own in it, and forbids scripts itself.
  return {200,
          "text/html; charset=utf-8",
          report::exporter("html").write(*grade, {}),
          {{"Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"}}};
}

Response cancel(Service& service, const Visit& visit) {
  const Response done = api::cancel(service, visit);
  if (done.status == 404) return no_submission(service, visit);
  if (done.status != 200)
    return not_done(service, visit, done.status,
                    "It is graded already, so it cannot be taken back.");
  return see_other("/submissions/" + visit.captured.front());
}

Response ranking_name(Service& service, const Visit& visit) {
  const auto fields = read_form(visit.request.body);
  const auto folder = service.folder();
  const auto name = fields.find("name"), of = fields.find("assignment");
  const Assignment* const a = of == fields.end() ? nullptr : folder->course.find(of->second);
  const auto owner = a != nullptr ? owner_of(*folder, *visit.who, *a) : std::nullopt;
  if (!owner || name == fields.end())
    return not_done(service, visit, 404, "The course has no such assignment.");
  // Each is a line of the audit log.
  const std::string person = "names of " + visit.who->person;
  if (!service.flood.may_fail(person))
    return not_done(service, visit, 429, "Too many names; wait a minute.");
  service.flood.failed(person);
  choose_name(service, owner->key, name->second);
  service.audit(*visit.who, visit.request.address, "ranking name", owner->key);
  return see_other("/assignments/" + a->name);
}

}  // namespace opgrade::service::pages
