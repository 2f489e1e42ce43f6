#include "grader/service/state/accounts.hpp"

#include <fmt/format.h>

#include "grader/base/core/system_random.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/course/store/sql.hpp"

namespace opgrade::service {
namespace {

namespace sql = course::sql;
using course::Moment;
using SQLite::Database;

/// Returns the number of tokens that ended.
int end_tokens(Database& database, const std::string& person, Moment now) {
  sql::execute(database, "DELETE FROM session WHERE person = ?1", person);
  return sql::execute(
      database, "UPDATE token SET revoked = ?2 WHERE person = ?1 AND revoked IS NULL", person, now);
}

/// Deletes expired sessions, and all but the newest sessions of a person, because each login makes
/// a session and a closed browser does not end its own.
void end_old_sessions(Database& database, const std::string& person, Moment now) {
  constexpr int kOfPerson = 20;
  sql::execute(database,
               "DELETE FROM session WHERE expires <= ?1 OR (person = ?2 AND rowid NOT IN "
               "(SELECT rowid FROM session WHERE person = ?2 ORDER BY rowid DESC LIMIT ?3))",
               now, person, kOfPerson);
}

template <class... Values>
std::optional<Identity> identity_in(const course::Store& store, const char* query,
                                    const Values&... values) {
  auto found = sql::rows<Identity>(store, query, values...);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

}  // namespace

std::string new_secret() {
  SystemRandom random;
  return fmt::format("{:016x}{:016x}{:016x}{:016x}", random(), random(), random(), random());
}

std::string hash_of_secret(const std::string& secret) { return course::sha256_of_text(secret); }

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

// Found by argument: sql::rows() calls it.
static void from_column(const SQLite::Column& column, Role& out) {
  out = sql::value_named<Role>(kRoleNames, column.getString()).value_or(Role::student);
}

std::string Accounts::make_token(const std::string& person, Role role, Moment now,
                                 const std::string& section) {
  const std::string token = new_secret();
  store_.work([&](Database& database) {
    end_tokens(database, person, now);
    sql::execute(database,
                 "INSERT INTO token (person, role, sha256, made, section) VALUES (?, ?, ?, ?, ?)",
                 person, name_of(role), hash_of_secret(token), now, section);
  });
  return token;
}

int Accounts::revoke(const std::string& person, Moment now) {
  return sql::change(store_, [&](Database& open) { return end_tokens(open, person, now); });
}

std::vector<TokenLine> Accounts::tokens() const {
  return sql::rows<TokenLine>(
      store_, "SELECT id, person, role, section, made, revoked FROM token ORDER BY person, id");
}

std::optional<Identity> Accounts::by_token(const std::string& token) const {
  return identity_in(
      store_, "SELECT person, role, '', section FROM token WHERE sha256 = ? AND revoked IS NULL",
      hash_of_secret(token));
}

std::optional<Accounts::Session> Accounts::begin_session(const std::string& token, Moment now) {
  const auto who = by_token(token);
  if (!who) return std::nullopt;  // a login with an invalid token never waits for a writer
  return begin_session(*who, hash_of_secret(token), now);
}

std::optional<Accounts::Session> Accounts::begin_session(
    const Identity& who, const std::optional<std::string>& token_sha256, Moment now) {
  const std::string cookie = new_secret();
  store_.work([&](Database& database) {
    sql::execute(
        database,
        "INSERT INTO session SELECT ?1, t.id, ?2, ?3, IFNULL((SELECT form_key FROM session "
        "WHERE person = ?2 AND token IS t.id ORDER BY rowid DESC LIMIT 1), ?4), ?5, ?6 "
        "FROM (SELECT id FROM token WHERE sha256 = ?7 AND revoked IS NULL "
        "UNION ALL SELECT NULL WHERE ?7 IS NULL) t",
        hash_of_secret(cookie), who.person, name_of(who.role), new_secret(), now + kSessionLife,
        who.section, token_sha256);
    end_old_sessions(database, who.person, now);
  });
  const auto begun = by_session(cookie, now);
  return begun ? std::optional(Session{cookie, begun->form_key}) : std::nullopt;
}

std::optional<Identity> Accounts::by_session(const std::string& cookie, Moment now) const {
  return identity_in(
      store_,
      "SELECT person, role, form_key, section FROM session WHERE sha256 = ? AND expires > ?",
      hash_of_secret(cookie), now);
}

void Accounts::end_session(const std::string& cookie) {
  sql::execute(store_, "DELETE FROM session WHERE sha256 = ?", hash_of_secret(cookie));
}

void Accounts::audit(const AuditLine& line) {
  store_.work([&](Database& database) {
    sql::audit(database, line.at, line.who, line.address, line.action, line.subject);
  });
}

std::vector<AuditLine> Accounts::audit_log(int newest) const {
  return sql::rows<AuditLine>(
      store_, "SELECT at, who, address, action, subject FROM audit ORDER BY id DESC LIMIT ?",
      newest);
}

}  // namespace opgrade::service
