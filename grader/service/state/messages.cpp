#include "grader/service/state/messages.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "grader/base/core/fd.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/course/store/sql.hpp"
#include "grader/platform/process/process.hpp"
#include "grader/service/http/http_message.hpp"

namespace opgrade::service {
namespace {

namespace sql = course::sql;

template <class... Values>
std::vector<Message> read_messages(const Service& service, const std::string& where,
                                   const Values&... values) {
  return sql::rows<Message>(
      service.store,
      "SELECT submission, at, who, staff, text, file, line, item FROM message " + where +
          " ORDER BY id",
      values...);
}

/// Runs the command with `input`. Returns the reason if it failed.
std::string run_with(const std::vector<std::string>& command, const std::string& input) {
  const Fd file(::memfd_create("notice", MFD_CLOEXEC));
  if (!file || ::write(file.get(), input.data(), input.size()) < 0) return "no memory";
  ::lseek(file.get(), 0, SEEK_SET);
  Command shell{.program = "/bin/sh", .arguments = {"-c", "exec \"$0\" \"$@\" <&3"}};
  shell.arguments.insert(shell.arguments.end(), command.begin(), command.end());
  shell.environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
  shell.descriptors = {{file.get(), 3}};
  const auto report = ChildProcess::start(shell, {.wall = std::chrono::seconds(30)}).finish();
  return report.succeeded() ? "" : printable_line("it failed: " + report.standard_error, 300);
}

}  // namespace

void add_message(Service& service, const Message& m, const std::string& address) {
  const std::string text = printable(m.text.substr(0, kMaxMessage), kMaxMessage);
  service.store.work([&](SQLite::Database& database) {
    sql::execute(database,
                 "INSERT INTO message (submission, at, who, staff, text, file, line, item) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                 m.submission, m.at, m.who, int{m.staff}, text, m.file, m.line, m.item);
    sql::audit(database, m.at, m.who, address, m.staff ? "comment" : "ask for a regrade",
               fmt::format("{}{}{}: {}", m.submission,
                           m.file.empty() ? "" : fmt::format(" {}:{}", m.file, m.line),
                           m.item.empty() ? "" : " " + m.item, printable_line(text, 100)));
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

bool wants_notices(const course::Store& store, const std::string& person) {
  return !sql::rows<std::string>(store, "SELECT person FROM notice WHERE person = ?", person)
              .empty();
}

void want_notices(const course::Store& store, const std::string& person, bool yes) {
  sql::execute(
      store,
      yes ? "INSERT OR IGNORE INTO notice VALUES (?)" : "DELETE FROM notice WHERE person = ?",
      person);
}

std::vector<std::string> send_notices(const course::CourseFolder& folder,
                                      const course::Store& store, const HandIn& hand_in,
                                      const std::string& by) {
  std::vector<std::string> failures;
  const auto& submission = hand_in.submission;
  if (by.empty()) return failures;
  const std::string text =
      fmt::format("{}: submission {} for {} is graded. The page of the course has the verdict.",
                  folder.course.title, submission.id, submission.assignment);
  const bool is_mail = by.starts_with('/');
  for (const auto* const member : folder.members(submission)) {
    if (!wants_notices(store, member->login)) continue;
    if (is_mail && member->email.empty()) {
      failures.push_back(member->login + " has no e-mail in the roster");
      continue;
    }
    const std::string why =
        is_mail ? run_with({by, "-i", "--", member->email},
                           fmt::format("To: {}\nSubject: {}\nContent-Type: text/plain; "
                                       "charset=utf-8\n\n{}\n",
                                       member->email, printable_line(text, 70), text))
                : run_with({"curl", "-fsS", "--max-time", "20", "-H",
                            "Content-Type: application/json", "--data-binary", "@-", "--", by},
                           json_text({{"person", member->login},
                                      {"email", member->email},
                                      {"submission", submission.id},
                                      {"assignment", submission.assignment},
                                      {"text", text}}));
    if (!why.empty()) failures.push_back(fmt::format("the notice for {}: {}", member->login, why));
  }
  return failures;
}

}  // namespace opgrade::service
