// Staff's pages of one student's grades, and the exports of a class.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/course/exchange/pack.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/course/gradebook/rubric_csv.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/queue/rejudges.hpp"

namespace opgrade::service::pages {
namespace {

using course::Change;

const course::Student& student_in(const course::CourseFolder& folder, const Visit& visit) {
  const auto* const found = folder.roster.find(visit.captured.front());
  if (found != nullptr && may_see(*visit.who, *found)) return *found;
  throw NotDone(404, "the roster has no such student");
}

std::string page_of(const course::Student& student) {
  return "/staff/students/" + encode_percent(student.login);
}

/// The kinds of change: points, excused, undo, and each open item of the course's configs with the
/// assignments that have it.
std::vector<std::pair<std::string, std::string>> change_choices(const Service& service) {
  std::vector<std::pair<std::string, std::string>> all{{"points", "Final points"},
                                                       {"excused", "Excused: needs no grade"},
                                                       {"undo", "Take the change back"}};
  const auto folder = service.files.folder();
  std::map<std::string, std::vector<std::string>> owners;
  for (const auto& a : folder->course.assignments)
    for (const auto& [name, points] : service.files.facts_of(a).items)
      owners[name].push_back(a.name);
  for (const auto& [name, of] : owners)
    all.emplace_back("item " + name, fmt::format("Item of {}: {}", fmt::join(of, ", "), name));
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
        fmt::format("{}: {} set {} to {}: {}", folder.course.zone->text(change.at), change.who,
                    change.item.empty() ? change.assignment : change.assignment + " " + change.item,
                    change.points       ? fmt::format("{:g}", *change.points)
                    : change.submission ? fmt::format("submission {}", *change.submission)
                    : change.kind == Change::Kind::counts ? "the submission of the rule"
                                                          : std::string(name_of(change.kind)),
                    change.reason),
        "soft");
  }
}

void add_forms(xml_node main, const Service& service, const Identity& who,
               const course::CourseFolder& folder, const course::Student& student,
               const Sent& sent) {
  // The page has two forms, so the typed values are put back into the one that was sent.
  const bool of_points = sent.contains("kind");
  const auto value = [&](const char* name) {
    const auto found = sent.find(name);
    return !of_points || found == sent.end() ? "" : printable_line(found->second, 400);
  };
  auto points = add_section(main, "Set points");
  auto set = form(points, who, page_of(student) + "/points");
  choice(set, "Assignment", "assignment", assignment_choices(folder),
         chosen_assignment(folder, value("assignment"), service.now()));
  choice(set, "Change", "kind", change_choices(service), value("kind"));
  with(field(set, "Points", "points", "text"),
       {{"inputmode", "decimal"}, {"value", value("points")}});
  with(field(set, "Reason, for staff", "reason", "text"),
       {{"required", "required"}, {"value", value("reason")}});
  with(field(set, "What the student is told, or nothing", "told", "text"),
       {{"value", value("told")}});
  add_confirmation(set);
  button(set, "Set the points");
  auto deadline = add_section(main, "Extend a deadline");
  auto extend = form(deadline, who, page_of(student) + "/extension");
  add_extension(extend, folder, service.now(), of_points ? Sent{} : sent);
}

}  // namespace

Response student(Service& service, const Visit& visit) {
  return student_page(service, visit, "", {});
}

Response student_page(Service& service, const Visit& visit, const std::string& complaint,
                      const Sent& sent) {
  const auto folder = service.files.folder();
  const auto& found = student_in(*folder, visit);
  return page(service, visit.who, fmt::format("{} ({})", found.name, found.login),
              [&](xml_node main) {
                add_complaint(main, complaint);
                add_grades(main, service, *folder, found);
                if (visit.who->role == Role::staff)
                  add_forms(main, service, *visit.who, *folder, found, sent);
                add(main, "h2", "As " + found.login + " sees it");
                fill_home(main, service, {found.login, Role::student, ""}, page_of(found) + "/");
              },
              {.status = complaint.empty() ? 200 : 400, .trail = {{"Class", "/staff"}}});
}

Response student_assignment(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  const auto& found = student_in(*folder, visit);
  const auto& a = assignment_in(*folder, visit.captured.at(1));
  return page(service, visit.who, fmt::format("{} as {} sees it", a.name, found.login),
              [&](xml_node main) {
                fill_assignment(main, service, {found.login, Role::student, ""}, a);
              },
              {.trail = {{"Class", "/staff"}, {found.name, page_of(found)}}});
}

Response set_points(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  const auto& found = student_in(*folder, visit);
  auto fields = read_form(visit.request.body);
  const auto& assignment = assignment_in(*folder, fields["assignment"]);
  const auto refuse = [&](const std::string& why) {
    return student_page(service, visit, "Nothing was changed: " + why, fields);
  };
  if (fields["reason"].empty()) return refuse("a reason is needed.");
  Change change{.at = service.now(),
                .who = visit.who->person,
                .student = found.login,
                .assignment = assignment.name,
                .reason = fields["reason"],
                .told = printable_line(fields["told"], 400)};
  const std::string& kind = fields["kind"];
  if (kind == "excused") {
    change.kind = Change::Kind::excused;
  } else if (kind == "undo") {
    change.kind = Change::Kind::none;
  } else if (kind.starts_with("item ")) {
    change.kind = Change::Kind::item;
    change.item = kind.substr(5);
  } else if (!kind.empty() && kind != "points") {
    return refuse("choose a change of the list.");
  }
  const auto book = gradebook_of(service, *folder, assignment, &found);
  try {
    take_points(change, fields["points"], book.facts(assignment), !fields["sure"].empty());
  } catch (const course::UnusualPoints& e) {
    return refuse(fmt::format("{}. If they are meant, tick \"{}\".", e.what(), kConfirmation));
  } catch (const UsageError& e) {
    return refuse(fmt::format("{}; {}.", e.what(), e.hint));
  }
  service.store.change(change, visit.request.address);
  return see_other(page_of(found));
}

Response gradebook(Service& service, const Visit& visit) {
  const auto folder = service.files.folder();
  const auto book = gradebook_of(service, *folder);
  const std::string& format = visit.captured.front();
  const auto formats = course::table_formats();
  if (std::ranges::find(formats, format) == formats.end())
    throw NotDone(404, fmt::format("the formats are {}", fmt::join(formats, ", ")));
  const auto parameter_is = [&](const char* name, const char* value) {
    return visit.request.parameter(name) == value;
  };
  const bool as_graded = parameter_is("as-graded", "yes");
  course::GradebookTable table;
  course::TableOptions options{
      .only = visit.request.parameter("assignment"), .as_graded = as_graded, .now = service.now()};
  if (!options.only.empty()) assignment_in(*folder, options.only);
  if (options.only.empty() && course::is_about_marks(format))
    throw NotDone(404, "marks are exported from the page Reports of an assignment");
  std::string outdated;
  try {
    table = gradebook_table(format, book, *folder, options);
  } catch (const UsageError& e) {
    outdated = e.what();
    options.as_graded = true;
    table = gradebook_table(format, book, *folder, options);
  }
  // A platform's file has no place for warnings, so staff read them before the download.
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
                  Request confirmed = visit.request;
                  confirmed.query[outdated.empty() ? "read" : "as-graded"] = "yes";
                  link(add(main, "p"),
                       outdated.empty() ? "Export" : "Export them as they were graded",
                       confirmed.target());
                },
                {.status = 409});
  return {200,
          "text/csv; charset=utf-8",
          table.csv,
          {{"Content-Disposition", fmt::format("attachment; filename=\"{}.csv\"", format)}}};
}

Response finals(Service& service, const Visit& visit) {
  const auto grades = service.grades->of(service, visit.captured.front());
  if (grades == nullptr) throw NotDone(404, "the course has no such assignment");
  constexpr std::uintmax_t kMost = std::uintmax_t{512} << 20;  // the archive is made in memory
  std::map<std::string, std::string> files;
  std::uintmax_t bytes = 0;
  for (const course::Entry& entry : grades->entries) {
    if (!entry.counts) continue;
    const std::string& file = entry.submissions.at(*entry.counts).standing.submission.file;
    // A team has one file. Its name has only the service's own words.
    const std::filesystem::path at(file);
    const std::string name =
        fmt::format("{}-{}", at.parent_path().filename().string(), at.filename().string());
    if (files.contains(name)) continue;
    files[name] = text_of_file(service.path / file);
    bytes += files[name].size();
    if (bytes > kMost)
      throw NotDone(413,
                    "the submissions have more than 512 MiB; opgrade course export-code takes any "
                    "number");
  }
  return {200,
          "application/x-tar",
          course::pack(files),
          {{"Content-Disposition",
            fmt::format("attachment; filename=\"{}-finals.tar\"", grades->assignment->name)}}};
}

}  // namespace opgrade::service::pages
