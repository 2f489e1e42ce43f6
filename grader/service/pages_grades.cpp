// Staff's pages of one student's grades, and the exports of a class.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/core/error.hpp"
#include "grader/core/printable.hpp"
#include "grader/course/gradebook_csv.hpp"
#include "grader/course/pack.hpp"
#include "grader/course/result_files.hpp"
#include "grader/course/why.hpp"
#include "grader/files/yaml_reader.hpp"
#include "grader/service/pages.hpp"
#include "grader/service/rejudges.hpp"

namespace opgrade::service::pages {
namespace {

using course::Change;

const course::Student* student_in(const course::CourseFolder& folder, const Visit& visit) {
  const auto* const found = folder.roster.find(visit.captured.front());
  return found != nullptr && may_see(*visit.who, *found) ? found : nullptr;
}

std::string page_of(const course::Student& student) {
  return "/staff/students/" + encode_percent(student.login);
}

/// Points, excused, the way back, and each open item of the course's configs.
std::vector<std::pair<std::string, std::string>> change_choices(const Service& service) {
  std::vector<std::pair<std::string, std::string>> all{{"points", "Final points"},
                                                       {"excused", "Excused: needs no grade"},
                                                       {"undo", "Take the change back"}};
  const auto folder = service.folder();
  for (const auto& a : folder->course.assignments) {
    const auto config = service.config_of(a);
    for (const auto& stage : config->stages)
      for (const auto& item : stage.open_items)
        if (const std::pair one{"item " + item.name, "Item: " + item.name};
            std::ranges::find(all, one) == all.end())
          all.push_back(one);
  }
  return all;
}

void add_grades(xml_node main, const Service& service, const course::CourseFolder& folder,
                const course::Student& student) {
  const auto book = gradebook_of(service, folder, &student);
  auto section = add_section(main, "Grades");
  HtmlTable table(section, {"Assignment", "Grade", "Why"}, {false, true, false});
  for (const auto& a : folder.course.assignments) {
    const auto entry = book.entry(student, a);
    table.row(
        {{a.name},
         {grade_text(entry, service.now())},
         {fmt::format("{}", fmt::join(derivation(entry, folder, report::Audience::staff), "; "))}});
  }
  for (const auto& change : service.store.changes(student.login)) {
    add(section, "p",
        fmt::format(
            "{}: {} set {} to {}: {}", folder.course.zone->text(change.at), change.who,
            change.item.empty() ? change.assignment : change.assignment + " " + change.item,
            change.points ? fmt::format("{:g}", *change.points) : std::string(name_of(change.kind)),
            change.reason),
        "soft");
  }
}

void add_forms(xml_node main, const Service& service, const Identity& who,
               const course::CourseFolder& folder, const course::Student& student,
               const Sent& sent) {
  auto points = add_section(main, "Set points");
  auto set = form(points, who, page_of(student) + "/points");
  choice(set, "Assignment", "assignment", assignment_choices(folder));
  choice(set, "Change", "kind", change_choices(service));
  field(set, "Points", "points", "text").append_attribute("inputmode") = "decimal";
  field(set, "Reason, for staff", "reason", "text").append_attribute("required") = "required";
  field(set, "What the student is told, or nothing", "told", "text");
  add_confirmation(set);
  button(set, "Set the points");
  auto deadline = add_section(main, "Extend a deadline");
  auto extend = form(deadline, who, page_of(student) + "/extension");
  add_extension(extend, folder, sent);
}

Response no_student(Service& service, const Visit& visit) {
  return not_done(service, visit, 404, "The roster has no such student.");
}

}  // namespace

Response student(Service& service, const Visit& visit) {
  return student_page(service, visit, "", {});
}

Response student_page(Service& service, const Visit& visit, const std::string& complaint,
                      const Sent& sent) {
  const auto folder = service.folder();
  const auto* const found = student_in(*folder, visit);
  if (found == nullptr)
    return complaint.empty() ? no_student(service, visit)
                             : not_done(service, visit, 400, complaint);
  return page(service, visit.who, fmt::format("{} ({})", found->name, found->login),
              [&](xml_node main) {
                add_complaint(main, complaint);
                add_grades(main, service, *folder, *found);
                if (visit.who->role == Role::staff)
                  add_forms(main, service, *visit.who, *folder, *found, sent);
                add(main, "h2", "As " + found->login + " sees it");
                fill_home(main, service, {found->login, Role::student, ""}, page_of(*found) + "/");
              },
              {.status = complaint.empty() ? 200 : 400});
}

Response student_assignment(Service& service, const Visit& visit) {
  const auto folder = service.folder();
  const auto* const found = student_in(*folder, visit);
  if (found == nullptr) return no_student(service, visit);
  const auto* const a = folder->course.find(visit.captured.at(1));
  if (a == nullptr) return no_assignment(service, visit);
  return page(service, visit.who, fmt::format("{} as {} sees it", a->name, found->login),
              [&](xml_node main) {
                fill_assignment(main, service, {found->login, Role::student, ""}, *a);
              });
}

Response set_points(Service& service, const Visit& visit) {
  const auto folder = service.folder();
  const auto* const found = student_in(*folder, visit);
  auto fields = read_form(visit.request.body);
  const auto refuse = [&](const std::string& why) { return not_done(service, visit, 400, why); };
  if (found == nullptr) return refuse("The roster has no such student.");
  const auto* const assignment = folder->course.find(fields["assignment"]);
  if (assignment == nullptr) return refuse("The course has no such assignment.");
  if (fields["reason"].empty()) return refuse("A reason is needed.");
  Change change{.at = service.now(),
                .who = visit.who->person,
                .student = found->login,
                .assignment = assignment->name,
                .kind = Change::Kind::points,
                .reason = fields["reason"],
                .told = printable_line(fields["told"], 400)};
  const std::string& kind = fields["kind"];
  double most = 1e9;
  if (kind == "excused") {
    change.kind = Change::Kind::excused;
  } else if (kind == "undo") {
    change.kind = Change::Kind::none;
  } else if (kind.starts_with("item ")) {
    change.kind = Change::Kind::item;
    change.item = kind.substr(5);
    const auto items = service.facts_of(*assignment).items;
    const auto known = items.find(change.item);
    if (known == items.end())
      return refuse(fmt::format("{} has no open item '{}'.", assignment->name, change.item));
    most = known->second;
  } else if (!kind.empty() && kind != "points") {
    return refuse("Choose a change of the list.");
  }
  const bool takes_points =
      change.kind == Change::Kind::points || change.kind == Change::Kind::item;
  if (takes_points && (change.kind == Change::Kind::points || !fields["points"].empty())) {
    change.points = parse_number(fields["points"]);
    if (!change.points || *change.points < 0 || *change.points > most)
      return refuse(most < 1e9 ? fmt::format("Points are a number from 0 to {:g}.", most)
                               : "Points are a number of at least 0.");
  }
  if (change.points) change.maximum = service.facts_of(*assignment).maximum;
  if (change.kind == Change::Kind::points && fields["sure"].empty() &&
      course::is_unlikely(*change.points, *change.maximum))
    return refuse(
        fmt::format("{:g} points are more than 20 times the maximum: confirm that they are "
                    "meant.",
                    *change.points));
  service.store.change(change, visit.request.address);
  return see_other(page_of(*found));
}

Response gradebook(Service& service, const Visit& visit) {
  const auto grades = service.grades->now(service);
  const auto& [folder, book, unused] = *grades;
  const std::string& format = visit.captured.front();
  const auto formats = course::table_formats();
  if (std::ranges::find(formats, format) == formats.end())
    return not_done(service, visit, 404,
                    fmt::format("The formats are {}.", fmt::join(formats, ", ")));
  const auto parameter_is = [&](const char* name, const char* value) {
    return visit.request.parameter(name) == value;
  };
  const bool as_graded = parameter_is("as-graded", "yes");
  course::GradebookTable table;
  course::TableOptions options{.as_graded = as_graded, .now = service.now()};
  std::string outdated;
  try {
    table = gradebook_table(format, book, *folder, options);
  } catch (const UsageError& e) {
    outdated = e.what();
    options.as_graded = true;
    table = gradebook_table(format, book, *folder, options);
  }
  // A platform's file has no place for warnings: they are read first.
  const bool is_read = format == "plain" || as_graded || parameter_is("read", "yes");
  if (!outdated.empty() || (!table.warnings.empty() && !is_read))
    return page(service, visit.who, "Before the export",
                [&](xml_node main) {
                  if (!outdated.empty()) {
                    add(main, "pre", outdated);
                    add(main, "p",
                        "A rejudge of the grades by other rules shows each change before it "
                        "counts; points that staff set are set again on the student's page.");
                    link(add(main, "p"), "Rejudges", "/staff/rejudges");
                  }
                  for (const auto& warning : table.warnings) add(main, "p", warning, "notice");
                  const std::string file = "/staff/gradebook/" + format;
                  if (outdated.empty())
                    link(add(main, "p"), "Export", file + "?read=yes");
                  else
                    link(add(main, "p"), "Export them as they were graded",
                         file + "?as-graded=yes");
                },
                {.status = 409});
  return {200,
          "text/csv; charset=utf-8",
          table.csv,
          {{"Content-Disposition", fmt::format("attachment; filename=\"{}.csv\"", format)}}};
}

Response finals(Service& service, const Visit& visit) {
  const auto grades = service.grades->now(service);
  const auto& [folder, book, unused] = *grades;
  const auto* const assignment = folder->course.find(visit.captured.front());
  if (assignment == nullptr) return no_assignment(service, visit);
  constexpr std::uintmax_t kMost = std::uintmax_t{512} << 20;  // it is packed in memory
  std::map<std::string, std::string> files;
  std::uintmax_t bytes = 0;
  for (const auto& student : folder->roster.students) {
    const auto entry = book.entry(student, *assignment);
    if (!entry.counts) continue;
    const std::string& file = entry.submissions.at(*entry.counts).standing.submission.file;
    // A team has one. The name is made of the service's own words.
    const std::filesystem::path at(file);
    const std::string name =
        fmt::format("{}-{}", at.parent_path().filename().string(), at.filename().string());
    if (files.contains(name)) continue;
    files[name] = text_of_file(service.path / file);
    bytes += files[name].size();
    if (bytes > kMost)
      return not_done(service, visit, 413,
                      "The submissions have more than 512 MiB; opgrade course export-code takes "
                      "any number.");
  }
  return {200,
          "application/x-tar",
          course::pack(files),
          {{"Content-Disposition",
            fmt::format("attachment; filename=\"{}-finals.tar\"", assignment->name)}}};
}

}  // namespace opgrade::service::pages
