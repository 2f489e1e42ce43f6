// Staff's pages for many students at once: extensions and tokens.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/service/pages/pages.hpp"

namespace opgrade::service::pages {
namespace {

std::vector<std::string> split_words(std::string text) {
  std::ranges::replace(text, '\t', ' ');
  auto words = split(text, ' ');
  std::erase(words, "");
  return words;
}

bool is_named(const course::Roster& roster, const std::string& name) {
  return name.starts_with("team ") || roster.find(name) != nullptr;
}

/// The logins that `words` name: logins, ids, and teams as "team 7". The error is the first word
/// that names no student.
tl::expected<std::set<std::string>, std::string> logins_in(const course::Roster& roster,
                                                           const course::Assignment& assignment,
                                                           const Identity& who,
                                                           const std::string& words) {
  std::set<std::string> logins;
  std::string text = words;
  std::ranges::replace_if(
      text, [](char c) { return c == ',' || c == ';' || c == '\r'; }, '\n');
  for (const auto& line : split(text, '\n')) {
    const std::string name(trimmed(line));
    if (name.empty()) continue;
    const std::size_t before = logins.size();
    // Blanks separate names, too, unless they are part of a name: "team 7".
    if (const auto parts = split_words(name); parts.size() > 1 && !is_named(roster, name)) {
      const auto several =
          logins_in(roster, assignment, who, fmt::format("{}", fmt::join(parts, ",")));
      if (!several) return several;
      logins.insert(several->begin(), several->end());
      continue;
    }
    if (const auto* const student = roster.find(name);
        student != nullptr && may_see(who, *student)) {
      logins.insert(student->login);
      continue;
    }
    if (name.starts_with("team "))
      for (const auto& student : roster.students)
        if (student.team_for(assignment) == name.substr(5) && may_see(who, student))
          logins.insert(student.login);
    if (logins.size() == before) return tl::unexpected(name);
  }
  return logins;
}

void add_extension_of_several(xml_node main, const Service& service, const Identity& who,
                              const Sent& sent) {
  auto made = form(add_section(main, "Extend for several"), who, "/staff/extensions");
  auto students = text_area(made,
                            "Students: logins or ids, by commas, semicolons, blanks "
                            "or lines; or a team as in \"team 7\"",
                            "students");
  if (sent.contains("students")) append_text(students, printable(sent.at("students"), 4000));
  add_extension(made, *service.files.folder(), service.now(), sent);
}

Response extensions_page(Service& service, const Visit& visit, const std::string& complaint,
                         const Sent& sent) {
  const auto folder = service.files.folder();
  return page(service, visit.who, "Extensions",
              [&](xml_node main) {
                add_complaint(main, complaint);
                if (visit.who->role == Role::staff)
                  add_extension_of_several(main, service, *visit.who, sent);
                auto section = add_section(main, "Deadlines that were extended");
                HtmlTable table(section, {"Student", "Section", "Team", "Assignment", "Until"});
                int known = 0;
                for (const auto& student : folder->roster.students)
                  for (const auto& [name, until] : student.extended) {
                    if (!may_see(*visit.who, student)) continue;
                    ++known;
                    table.begin_row();
                    link_student(table.cell(), student);
                    table.cell(student.section);
                    table.cell(student.team_for(*folder->course.find(name)));
                    table.cell(name);
                    table.cell(folder->course.zone->text(until));
                  }
                if (known == 0) add(section, "p", "None.");
              },
              {.status = complaint.empty() ? 200 : 400, .trail = {{"Class", "/staff"}}});
}

Response tokens_page(Service& service, const Visit& visit, const std::string& person,
                     const std::string& token) {
  return page(service, visit.who, "Tokens",
              [&](xml_node main) {
                const auto folder = service.files.folder();
                if (!token.empty()) {
                  auto shown = add_section(main, "New token of " + person);
                  add(shown, "p", "It is shown this once; an older one of this person has ended.");
                  add(shown, "pre", token);
                }
                auto section = add_section(main, "Make or revoke");
                auto made = form(section, *visit.who, "/staff/tokens");
                field(made, "Login", "person", "text").append_attribute("required") = "required";
                choice(made, "What to do", "action",
                       {{"student", "Make a token for a student of the roster"},
                        {"staff", "Make a token for a member of staff"},
                        {"grader", "Make one for a grader, who changes no grade"},
                        {"observer", "Make one for an observer, who changes nothing"},
                        {"revoke", "End the tokens and sessions of this person"}});
                field(made, "Of staff: only this section of the roster; empty: all", "section",
                      "text");
                button(made, "Do it");
                auto list = add_section(main, "Tokens");
                HtmlTable table(list, {"Login", "Role", "Section", "Made", "Ended"});
                for (const TokenLine& t : service.accounts.tokens()) {
                  table.begin_row(t.revoked ? "soft" : "");
                  table.cell(t.person);
                  table.cell(name_of(t.role));
                  table.cell(t.section);
                  table.cell(folder->course.zone->text(t.made));
                  table.cell(t.revoked ? folder->course.zone->text(*t.revoked) : "");
                }
              },
              {.trail = {{"Class", "/staff"}}});
}

}  // namespace

Response extensions(Service& service, const Visit& visit) {
  Sent asked{{"students", chosen_rows(visit.request)},
             {"assignment", visit.request.parameter("assignment")}};
  return extensions_page(service, visit, "", asked);
}

std::vector<std::pair<std::string, std::string>> assignment_choices(
    const course::CourseFolder& folder) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& a : folder.course.assignments) all.emplace_back(a.name, heading_of(a));
  return all;
}

std::string chosen_assignment(const course::CourseFolder& folder, const std::string& asked,
                              course::Moment now) {
  if (!asked.empty()) return asked;
  const course::Assignment* nearest = nullptr;
  const auto distance = [&](const course::Assignment& a) {
    return a.deadline < now ? now - a.deadline : a.deadline - now;
  };
  for (const auto& a : folder.course.assignments)
    if ((!a.opens || *a.opens <= now) && (nearest == nullptr || distance(a) < distance(*nearest)))
      nearest = &a;
  return nearest == nullptr ? "" : nearest->name;
}

void add_confirmation(xml_node form) { field(form, kConfirmation, "sure", "checkbox"); }

void add_complaint(xml_node main, const std::string& complaint) {
  if (!complaint.empty()) add(main, "p", complaint, "notice").append_attribute("role") = "alert";
}

void add_extension(xml_node form, const course::CourseFolder& folder, course::Moment now,
                   const Sent& sent) {
  const auto value = [&](const char* name) {
    const auto found = sent.find(name);
    return found == sent.end() ? "" : printable_line(found->second, 400);
  };
  choice(form, "Assignment", "assignment", assignment_choices(folder),
         chosen_assignment(folder, value("assignment"), now));
  with(field(form, "Until: 2 d, 36 h or 2026-10-15 23:59; empty: no extension", "until", "text"),
       {{"value", value("until")}});
  with(field(form, "Reason", "reason", "text"),
       {{"required", "required"}, {"value", value("reason")}});
  add_confirmation(form);
  button(form, "Extend the deadline");
}

/// Extends the deadline of the student in the address, or of those whom the form names.
Response extend(Service& service, const Visit& visit) {
  auto fields = read_form(visit.request.body);
  const std::scoped_lock one_at_a_time(service.roster);
  const auto folder = service.files.folder();
  const bool is_of_one = !visit.captured.empty();
  const auto refuse = [&](const std::string& why) {
    const std::string text = "Nothing was changed: " + why;
    return is_of_one ? student_page(service, visit, text, fields)
                     : extensions_page(service, visit, text, fields);
  };
  const auto* const assignment = folder->course.find(fields["assignment"]);
  if (assignment == nullptr) return refuse("the course has no such assignment.");
  if (fields["reason"].empty()) return refuse("a reason is needed.");
  const auto logins = logins_in(folder->roster, *assignment, *visit.who,
                                is_of_one ? visit.captured.front() : fields["students"]);
  if (!logins)
    return refuse(fmt::format("the roster has no '{}'; a team is named as in 'team red'.",
                              printable_line(logins.error(), 60)));
  if (logins->empty()) return refuse("name at least one student.");
  const auto done = course::edit_roster(service.path, [&](const std::string& roster) {
    return course::with_extension(
        roster, folder->course,
        {*logins, assignment->name, fields["until"], !fields["sure"].empty()});
  });
  if (!done) return refuse(done.error());
  for (const std::string& login : *logins)
    service.audit(
        *visit.who, visit.request.address, "extend",
        fmt::format("{} {} {}: {}", login, assignment->name,
                    fields["until"].empty() ? "no extension" : fields["until"], fields["reason"]));
  return see_other(is_of_one ? "/staff/students/" + encode_percent(*logins->begin())
                             : "/staff/extensions");
}

Response tokens(Service& service, const Visit& visit) {
  return tokens_page(service, visit, "", "");
}

Response change_token(Service& service, const Visit& visit) {
  auto fields = read_form(visit.request.body);
  const std::string& person = fields["person"];
  const std::string& action = fields["action"];
  if (person.empty() || person != printable_line(person, 100))
    throw NotDone(400, "a login is needed");
  if (action == "revoke") {
    if (person == visit.who->person)
      throw NotDone(409, "this would end your own session; ask a colleague");
    service.accounts.revoke(person, service.now());
    service.audit(*visit.who, visit.request.address, "revoke token", person);
    return see_other("/staff/tokens");
  }
  const auto* const student = service.files.folder()->roster.find(person);
  const bool is_student = student != nullptr && student->login == person;
  const auto known = std::ranges::find(kRoleNames, action);
  if (known == kRoleNames.end()) throw NotDone(400, "choose an action of the list");
  const auto role = static_cast<Role>(known - kRoleNames.begin());
  if ((role == Role::student) != is_student)
    throw NotDone(409, is_student ? "this is a student of the roster, who cannot be staff too"
                                  : "the roster has no such student");
  const std::string& section = fields["section"];
  const auto& students = service.files.folder()->roster.students;
  if (!section.empty() &&
      (is_student ||
       std::ranges::find(students, section, &course::Student::section) == students.end()))
    throw NotDone(409, "the roster has no such section for staff");
  const std::string token = service.accounts.make_token(person, role, service.now(), section);
  service.audit(
      *visit.who, visit.request.address, "make token",
      person + (is_student ? "" : " " + action + (section.empty() ? "" : ", section " + section)));
  return tokens_page(service, visit, person, token);
}

}  // namespace opgrade::service::pages
