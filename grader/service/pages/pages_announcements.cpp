// Announcements of staff to all students.
#include <fmt/format.h>

#include "grader/base/core/whole_number.hpp"
#include "grader/service/pages/pages.hpp"
#include "grader/service/state/announcements.hpp"

namespace opgrade::service::pages {

void add_announcements(xml_node main, const Service& service, const std::string& assignment) {
  const auto folder = service.files.folder();
  for (const Announcement& a : service::announcements(service)) {
    if (a.ended || (!a.assignment.empty() && a.assignment != assignment)) continue;
    auto said = add(main, "section", "", "announcement");
    add(said, "p", a.text, "words");
    add(said, "p", "Staff, " + folder->course.zone->text(a.at), "soft");
  }
}

Response announcements(Service& service, const Visit& visit) {
  return page(service, visit.who, "Announcements",
              [&](xml_node main) {
                const auto folder = service.files.folder();
                auto section = add_section(main, "Tell all students");
                auto made = form(section, *visit.who, "/staff/announcements");
                std::vector<std::pair<std::string, std::string>> places{
                    {"", "Assignments, and each assignment"}};
                for (const auto& one : assignment_choices(*folder)) places.push_back(one);
                choice(made, "At the top of", "assignment", places);
                with(text_area(made, "What all students read", "text"),
                     {{"maxlength", fmt::format("{}", kMostAnnouncement)}});
                button(made, "Announce");
                auto list = add_section(main, "Announcements");
                const auto all = service::announcements(service);
                if (all.empty()) add(list, "p", "None yet.");
                for (const Announcement& a : all) {
                  auto said = add(list, "div", "", "said");
                  const auto& zone = *folder->course.zone;
                  add(said, "p",
                      fmt::format("{}, {}{}{}", a.who, zone.text(a.at),
                                  a.assignment.empty() ? "" : ", for " + a.assignment,
                                  a.ended ? ", ended " + zone.text(*a.ended) : ""),
                      "soft");
                  add(said, "p", a.text, a.ended ? "words soft" : "words");
                  if (!a.ended)
                    button(form(said, *visit.who, fmt::format("/staff/announcements/{}/end", a.id)),
                           "End it", "quiet");
                }
              },
              {.trail = {{"Class", "/staff"}}});
}

Response announce(Service& service, const Visit& visit) {
  auto fields = read_form(visit.request.body);
  std::string text = fields["text"];
  std::erase(text, '\r');
  if (text.find_first_not_of(" \n\t") == std::string::npos)
    throw NotDone(400, "the announcement is empty");
  const std::string& name = fields["assignment"];
  if (!name.empty()) assignment_in(*service.files.folder(), name);
  service::announce(service,
                    {.at = service.now(),
                     .who = visit.who->person,
                     .assignment = name,
                     .text = text,
                     .ended = {}},
                    visit.request.address);
  return see_other("/staff/announcements");
}

Response end_announcement(Service& service, const Visit& visit) {
  const auto id = whole_number(visit.captured.front());
  if (!id || !service::end_announcement(service, *id, visit.who->person, visit.request.address))
    throw NotDone(404, "there is no such announcement, or it ended before");
  return see_other("/staff/announcements");
}

}  // namespace opgrade::service::pages
