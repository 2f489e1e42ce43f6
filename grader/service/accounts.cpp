#include "grader/service/accounts.hpp"

#include "grader/service/secret.hpp"
#include "grader/service/sql.hpp"

namespace opgrade::service {
namespace {

using course::Moment;
using SQLite::Database;

Role role_of(const std::string& name) { return name == "staff" ? Role::staff : Role::student; }

void end_tokens(Database& database, const std::string& person, Moment now, int* ended) {
  const int tokens =
      sql::execute(database, "UPDATE token SET revoked = ?2 WHERE person = ?1 AND revoked IS NULL",
                   person, sql::stored(now));
  sql::execute(database, "DELETE FROM session WHERE person = ?1", person);
  if (ended != nullptr) *ended = tokens;
}

/// Each login makes a session, and a closed browser does not end its own: the newest of a person
/// stay, and of all what is not over.
void end_old_sessions(Database& database, const std::string& person, Moment now) {
  constexpr int kOfPerson = 20;
  sql::execute(database,
               "DELETE FROM session WHERE expires <= ?1 OR (person = ?2 AND rowid NOT IN "
               "(SELECT rowid FROM session WHERE person = ?2 ORDER BY rowid DESC LIMIT ?3))",
               sql::stored(now), person, kOfPerson);
}

}  // namespace

std::string_view name_of(Role role) { return role == Role::staff ? "staff" : "student"; }

std::string Accounts::make_token(const std::string& person, Role role, Moment now) {
  const std::string token = new_secret();
  store_.work([&](Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    end_tokens(database, person, now, nullptr);
    sql::execute(database, "INSERT INTO token (person, role, sha256, made) VALUES (?, ?, ?, ?)",
                 person, std::string(name_of(role)), hash_of_secret(token), sql::stored(now));
    transaction.commit();
  });
  return token;
}

int Accounts::revoke(const std::string& person, Moment now) {
  int ended = 0;
  store_.work([&](Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    end_tokens(database, person, now, &ended);
    transaction.commit();
  });
  return ended;
}

std::vector<TokenLine> Accounts::tokens() const {
  std::vector<TokenLine> all;
  store_.read([&](Database& database) {
    auto query = sql::prepare(database,
                              "SELECT id, person, role, made, revoked FROM token "
                              "ORDER BY person, id");
    while (query.executeStep()) {
      all.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(),
                     role_of(query.getColumn(2).getString()), sql::moment_in(query.getColumn(3)),
                     sql::maybe_moment_in(query.getColumn(4))});
    }
  });
  return all;
}

std::optional<Identity> Accounts::by_token(const std::string& token) const {
  std::optional<Identity> found;
  store_.read([&](Database& database) {
    auto query = sql::prepare(database,
                              "SELECT person, role FROM token "
                              "WHERE sha256 = ? AND revoked IS NULL",
                              hash_of_secret(token));
    if (query.executeStep())
      found = {query.getColumn(0).getString(), role_of(query.getColumn(1).getString()), ""};
  });
  return found;
}

std::optional<Accounts::Session> Accounts::begin_session(const std::string& token, Moment now) {
  const auto who = by_token(token);
  if (!who) return std::nullopt;  // a wrong one never waits for a writer
  const Session session{new_secret(), new_secret()};
  int made = 0;
  store_.work([&](Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    made = sql::execute(database,
                        "INSERT INTO session SELECT ?1, id, person, role, ?2, ?3 FROM token "
                        "WHERE sha256 = ?4 AND revoked IS NULL",
                        hash_of_secret(session.cookie), session.form_key,
                        sql::stored(now + kSessionLife), hash_of_secret(token));
    end_old_sessions(database, who->person, now);
    transaction.commit();
  });
  if (made == 0) return std::nullopt;
  return session;
}

Accounts::Session Accounts::begin_proxy_session(const std::string& person, Role role, Moment now) {
  const Session session{new_secret(), new_secret()};
  store_.work([&](Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    sql::execute(database, "INSERT INTO session VALUES (?, NULL, ?, ?, ?, ?)",
                 hash_of_secret(session.cookie), person, std::string(name_of(role)),
                 session.form_key, sql::stored(now + kSessionLife));
    end_old_sessions(database, person, now);
    transaction.commit();
  });
  return session;
}

std::optional<Identity> Accounts::by_session(const std::string& cookie, Moment now) const {
  std::optional<Identity> found;
  store_.read([&](Database& database) {
    auto query = sql::prepare(database,
                              "SELECT person, role, form_key FROM session "
                              "WHERE sha256 = ? AND expires > ?",
                              hash_of_secret(cookie), sql::stored(now));
    if (query.executeStep())
      found = {query.getColumn(0).getString(), role_of(query.getColumn(1).getString()),
               query.getColumn(2).getString()};
  });
  return found;
}

void Accounts::end_session(const std::string& cookie) {
  store_.work([&](Database& database) {
    sql::execute(database, "DELETE FROM session WHERE sha256 = ?", hash_of_secret(cookie));
  });
}

void Accounts::audit(const AuditLine& line) {
  store_.work([&](Database& database) {
    sql::execute(database,
                 "INSERT INTO audit (at, who, address, action, subject) VALUES (?, ?, ?, ?, ?)",
                 sql::stored(line.at), line.who, line.address, line.action, line.subject);
  });
}

std::vector<AuditLine> Accounts::audit_log(int newest) const {
  std::vector<AuditLine> all;
  store_.read([&](Database& database) {
    auto query = sql::prepare(database,
                              "SELECT at, who, address, action, subject FROM audit "
                              "ORDER BY id DESC LIMIT ?",
                              newest);
    while (query.executeStep()) {
      all.push_back({sql::moment_in(query.getColumn(0)), query.getColumn(1).getString(),
                     query.getColumn(2).getString(), query.getColumn(3).getString(),
                     query.getColumn(4).getString()});
    }
  });
  return all;
}

}  // namespace opgrade::service
