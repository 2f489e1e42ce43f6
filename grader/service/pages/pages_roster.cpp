// Staff's page of roster.csv: students are added, corrected and, if they handed in nothing,
// removed.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/service/pages/pages.hpp"

namespace opgrade::service::pages {
namespace {

struct RosterField {
  const char* column;
  const char* label;
};
/// The fields in the order of the form. Extensions have a page of their own.
constexpr std::array<RosterField, 7> kFields{
    {{"id", "Id of the university"},
     {"login", "Login"},
     {"name", "Name"},
     {"email", "E-mail"},
     {"section", "Section"},
     {"team", "Team, or as in \"red; blue from 2026-10-20\""},
     {"canvas_id", "Id in Canvas"}}};

void add_entry(xml_node main, const Identity& who, const Sent& values, bool is_new) {
  auto section = add_section(main, is_new ? "Add a student" : "Change " + values.at("login"));
  auto made = form(section, who, "/staff/roster");
  hidden(made, "action", is_new ? "add" : "change");
  for (const auto& [column, label] : kFields) {
    const auto found = values.find(column);
    auto input = with(field(made, label, column, "text"),
                      {{"value", found == values.end() ? "" : printable_line(found->second, 400)}});
    const std::string_view name = column;
    if (name == "id" || name == "login" || name == "name")
      input.append_attribute("required") = "required";
    if (!is_new && name == "login") input.append_attribute("readonly") = "readonly";
  }
  button(made, is_new ? "Add" : "Save");
  if (is_new) return;
  link(add(section, "p"), "Add another student", "/staff/roster");
  auto remove = form(section, who, "/staff/roster");
  hidden(remove, "action", "remove");
  hidden(remove, "login", values.at("login"));
  button(remove, "Remove from the roster", "quiet");
}

/// Adds the confirmation of a change, and whether the student can log in.
void add_saved(xml_node main, const Service& service, const std::string& login) {
  const auto tokens = service.accounts.tokens();
  const bool has_token = std::ranges::any_of(
      tokens, [&](const auto& one) { return one.person == login && !one.revoked; });
  auto line = with(add(main, "p", "Saved.", "good"), {{"role", "status"}});
  if (has_token || !service.options.proxy_header.empty()) return;
  append_text(line, fmt::format(" {} has no token yet: ", login));
  link(line, "make one", "/staff/tokens");
}

void add_list(xml_node main, const course::Roster& roster, const std::string& search) {
  constexpr std::size_t kShown = 100;
  auto section = add_section(main, "Students");
  auto form = with(add(section, "form", "", "buttons"),
                   {{"method", "get"}, {"action", "/staff/roster"}, {"role", "search"}});
  field(form, "Name, login or id", "search", "search").append_attribute("value") =
      printable_line(search, 100).c_str();
  button(form, "Show", "quiet");
  const std::string wanted = lowercase(search);
  std::vector<const course::Student*> found;
  for (const auto& student : roster.students)
    if (std::ranges::any_of(std::array{&student.name, &student.login, &student.id},
                            [&](const std::string* text) {
                              return lowercase(*text).find(wanted) != std::string::npos;
                            }))
      found.push_back(&student);
  add(section, "p",
      found.size() > kShown
          ? fmt::format("{} students, the first {} of them: search for the others.", found.size(),
                        kShown)
          : fmt::format("{} of {} students.", found.size(), roster.students.size()));
  if (found.empty()) return;
  HtmlTable table(section, {"Student", "Id", "E-mail", "Section", "Team", "Change"});
  for (std::size_t i = 0; i < std::min(found.size(), kShown); ++i) {
    const course::Student& student = *found[i];
    table.begin_row();
    link_student(table.cell(), student);
    table.cell(student.id);
    table.cell(student.email);
    table.cell(student.section);
    table.cell(student.team);
    with(link(table.cell(), "Change", "/staff/roster?login=" + encode_percent(student.login)),
         {{"aria-label", "Change " + student.login}});
  }
}

Response roster_page(Service& service, const Visit& visit, const std::string& complaint,
                     const Sent& sent) {
  const auto folder = service.files.folder();
  const std::string login = visit.request.parameter("login");
  const std::string action = value_in(sent, "action");
  const std::string shown = action == "remove" ? value_in(sent, "login") : login;
  Sent values = sent;
  if (!shown.empty()) {
    values = course::roster_cells(text_of_file(service.path / course::kRosterFile), shown);
    if (values.empty()) throw NotDone(404, "the roster has no such student");
  }
  const bool is_new = sent.empty() ? login.empty() : action == "add";
  return page(service, visit.who, "Roster",
              [&](xml_node main) {
                add_complaint(main, complaint);
                if (!visit.request.parameter("saved").empty()) add_saved(main, service, login);
                add_entry(main, *visit.who, values, is_new);
                add_list(main, folder->roster, visit.request.parameter("search"));
              },
              {.status = complaint.empty() ? 200 : 400, .trail = {{"Class", "/staff"}}});
}

/// Why the student's line must stay; empty if it can be removed.
std::string why_kept(const Service& service, const course::CourseFolder& folder,
                     const std::string& login) {
  const auto* const student = folder.roster.find(login);
  if (student == nullptr || student->login != login) return "the roster has no such student";
  for (const auto& submission : service.store.submissions())
    if (const auto members = folder.members(submission);
        std::ranges::find(members, login, &course::Student::login) != members.end())
      return "the student has handed in. opgrade course remove-student removes the submissions, "
             "too";
  if (!service.store.changes(login).empty())
    return "the student has points that staff set. opgrade course remove-student removes them, too";
  return "";
}

}  // namespace

Response roster(Service& service, const Visit& visit) {
  return roster_page(service, visit, "", {});
}

Response change_roster(Service& service, const Visit& visit) {
  auto fields = read_form(visit.request.body);
  const std::string action = fields["action"], login = std::string(trimmed(fields["login"]));
  const std::scoped_lock one_at_a_time(service.roster);
  const auto folder = service.files.folder();
  const auto refuse = [&](const std::string& why) {
    return roster_page(service, visit, fmt::format("Nothing was changed: {}.", why), fields);
  };
  if (action != "add" && action != "change" && action != "remove")
    throw NotDone(400, "choose what to do");
  if (action == "remove")
    if (const auto why = why_kept(service, *folder, login); !why.empty()) return refuse(why);
  std::map<std::string, std::string> values;
  for (const auto& [column, label] : kFields) values[column] = std::string(trimmed(fields[column]));
  const auto done = course::edit_roster(service.path, [&](const std::string& roster) {
    if (action == "remove") return course::without_student(roster, login);
    return course::with_student(roster, folder->course, values, action == "add");
  });
  if (!done) return refuse(done.error());
  service.audit(*visit.who, visit.request.address, action + " student", login);
  return see_other(action == "remove" ? "/staff/roster"
                                      : "/staff/roster?saved=yes&login=" + encode_percent(login));
}

}  // namespace opgrade::service::pages
