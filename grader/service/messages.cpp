#include "grader/service/messages.hpp"

#include <fmt/format.h>

#include "grader/core/printable.hpp"
#include "grader/course/sql.hpp"

namespace opgrade::service {
namespace {

namespace sql = course::sql;

template <class... Values>
std::vector<Message> read_messages(const Service& service, const std::string& where,
                                   const Values&... values) {
  return sql::rows<Message>(
      service.store,
      "SELECT submission, at, who, staff, text FROM message " + where + " ORDER BY id", values...);
}

}  // namespace

void add_message(Service& service, const Message& m, const std::string& address) {
  const std::string text = printable(m.text.substr(0, kMaxMessage), kMaxMessage);
  service.store.work([&](SQLite::Database& database) {
    sql::execute(database,
                 "INSERT INTO message (submission, at, who, staff, text) VALUES (?, ?, ?, ?, ?)",
                 m.submission, m.at, m.who, int{m.staff}, text);
    sql::audit(database, m.at, m.who, address, m.staff ? "comment" : "ask for a regrade",
               fmt::format("{}: {}", m.submission, printable_line(text, 100)));
  });
}

std::vector<Message> messages_of(const Service& service, std::int64_t submission) {
  return read_messages(service, "WHERE submission = ?", submission);
}

std::map<std::int64_t, Message> last_messages(const Service& service) {
  std::map<std::int64_t, Message> last;
  for (Message& m :
       read_messages(service, "WHERE id IN (SELECT MAX(id) FROM message GROUP BY submission)"))
    last.emplace(m.submission, std::move(m));
  return last;
}

}  // namespace opgrade::service
