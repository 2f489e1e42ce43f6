#include "grader/service/state/announcements.hpp"

#include <fmt/format.h>

#include "grader/base/core/printable.hpp"
#include "grader/course/store/sql.hpp"

namespace opgrade::service {

namespace sql = course::sql;

void announce(Service& service, const Announcement& a, const std::string& address) {
  const std::string text = printable(a.text.substr(0, kMostAnnouncement), kMostAnnouncement);
  service.store.work([&](SQLite::Database& database) {
    sql::execute(database,
                 "INSERT INTO announcement (at, who, assignment, text) VALUES (?, ?, ?, ?)", a.at,
                 a.who, a.assignment, text);
    sql::audit(database, a.at, a.who, address, "announce",
               fmt::format("{}: {}", a.assignment.empty() ? "course" : a.assignment,
                           printable_line(text, 100)));
  });
}

bool end_announcement(Service& service, std::int64_t id, const std::string& who,
                      const std::string& address) {
  return sql::change(service.store, [&](SQLite::Database& database) {
    const int ended =
        sql::execute(database, "UPDATE announcement SET ended = ? WHERE id = ? AND ended IS NULL",
                     service.now(), id);
    if (ended == 1)
      sql::audit(database, service.now(), who, address, "end announcement", fmt::format("{}", id));
    return ended == 1;
  });
}

std::vector<Announcement> announcements(const Service& service) {
  return sql::rows<Announcement>(
      service.store,
      "SELECT id, at, who, assignment, text, ended FROM announcement ORDER BY id DESC");
}

}  // namespace opgrade::service
