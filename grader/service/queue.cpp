#include "grader/service/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/core/error.hpp"
#include "grader/report/events.hpp"
#include "grader/service/sql.hpp"

namespace opgrade::service {
namespace {

using course::Moment;
using Why = events::QueuedAgain::Why;
using SQLite::Database;
using SQLite::Statement;
using SQLite::Transaction;

constexpr std::array<std::string_view, 5> kStates{"queued", "running", "done", "cancelled",
                                                  "stuck"};
constexpr auto kWriting = SQLite::TransactionBehavior::IMMEDIATE;

State state_of(const std::string& name) {
  const auto found = std::ranges::find(kStates, name);
  if (found == kStates.end())
    throw Error(fmt::format("course.db has a submission in the unknown state '{}'", name),
                "use the newer opgrade that wrote it");
  return static_cast<State>(found - kStates.begin());
}

constexpr const char* kColumns =
    "SELECT s.id, s.assignment, s.owner, s.sha256, s.file, s.handed_in, s.source, s.added, "
    "s.added_by, h.person, h.key, h.state, h.staff, h.run, h.faults, h.worker, h.not_before, "
    "h.queued, h.started, h.ended FROM hand_in h JOIN submission s ON s.id = h.submission ";

HandIn read(Statement& row) {
  HandIn h;
  auto& s = h.submission;
  s.id = row.getColumn(0).getInt64();
  s.assignment = row.getColumn(1).getString();
  s.owner = row.getColumn(2).getString();
  s.sha256 = row.getColumn(3).getString();
  s.file = row.getColumn(4).getString();
  s.handed_in = sql::moment_in(row.getColumn(5));
  s.source = row.getColumn(6).getString();
  s.added = sql::moment_in(row.getColumn(7));
  s.added_by = row.getColumn(8).getString();
  h.person = row.getColumn(9).getString();
  h.key = row.getColumn(10).getString();
  h.state = state_of(row.getColumn(11).getString());
  h.staff = row.getColumn(12).getInt() != 0;
  h.run = row.getColumn(13).getInt();
  h.faults = row.getColumn(14).getInt();
  h.worker = row.getColumn(15).getString();
  h.not_before = sql::moment_in(row.getColumn(16));
  h.queued = sql::moment_in(row.getColumn(17));
  h.started = sql::maybe_moment_in(row.getColumn(18));
  h.ended = sql::maybe_moment_in(row.getColumn(19));
  return h;
}

template <class... Values>
std::vector<HandIn> select(Database& database, const std::string& where, const Values&... values) {
  auto query = sql::prepare(database, (kColumns + where).c_str(), values...);
  std::vector<HandIn> all;
  while (query.executeStep()) all.push_back(read(query));
  return all;
}

std::vector<HandIn> all_in_work(Database& database) {
  return select(database, "WHERE h.state IN ('queued', 'running') ORDER BY h.submission");
}

void add_event(Database& database, std::int64_t submission, const Event& event, Moment now) {
  sql::execute(database, "INSERT INTO event (submission, at, kind, text) VALUES (?, ?, ?, ?)",
               submission, sql::stored(now), std::string(report::event_name(event)),
               report::event_json(event));
}

/// The id of the submission of this content and time, new or known.
std::int64_t add_submission(Database& database, const course::Submission& s) {
  sql::execute(database,
               "INSERT INTO submission (assignment, owner, sha256, file, handed_in, source, "
               "added, added_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
               "ON CONFLICT (assignment, owner, sha256, handed_in) DO NOTHING",
               s.assignment, s.owner, s.sha256, s.file, sql::stored(s.handed_in), s.source,
               sql::stored(s.added), s.added_by);
  auto query = sql::prepare(database,
                            "SELECT id FROM submission WHERE assignment = ? AND owner = ? AND "
                            "sha256 = ? AND handed_in = ?",
                            s.assignment, s.owner, s.sha256, sql::stored(s.handed_in));
  query.executeStep();
  return query.getColumn(0).getInt64();
}

}  // namespace

std::string_view name_of(State state) { return kStates[static_cast<std::size_t>(state)]; }

std::optional<Queue::Added> Queue::add(HandIn& hand_in,
                                       const std::function<bool(const std::vector<HandIn>&)>& may) {
  std::optional<Added> result;
  store_.work([&](Database& database) {
    Transaction transaction(database, kWriting);
    const auto& s = hand_in.submission;
    const auto same =
        select(database, "WHERE h.person = ? AND h.key = ?", hand_in.person, hand_in.key);
    if (!same.empty()) {
      const auto& known = same.front().submission;
      const bool equal = known.sha256 == s.sha256 && known.assignment == s.assignment;
      result = equal ? Added::known : Added::other_content;
      hand_in = same.front();
      return;
    }
    const auto earlier =
        select(database, "WHERE s.owner = ? AND s.assignment = ? ORDER BY h.submission", s.owner,
               s.assignment);
    if (!may(earlier)) return;
    const std::int64_t id = add_submission(database, s);
    // Two uploads of one content in one second, with different keys, are one submission.
    if (const auto twin = select(database, "WHERE h.submission = ?", id); !twin.empty()) {
      hand_in = twin.front();
      result = Added::known;
      return;
    }
    hand_in.submission.id = id;
    sql::execute(database,
                 "INSERT INTO hand_in (submission, person, key, state, staff, queued) "
                 "VALUES (?, ?, ?, 'queued', ?, ?)",
                 id, hand_in.person, hand_in.key, static_cast<int>(hand_in.staff),
                 sql::stored(hand_in.queued));
    add_event(database, id, events::Queued{}, hand_in.queued);
    transaction.commit();
    result = Added::added;
  });
  return result;
}

std::optional<HandIn> Queue::find(std::int64_t submission) const {
  std::vector<HandIn> found;
  store_.read(
      [&](Database& database) { found = select(database, "WHERE h.submission = ?", submission); });
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::optional<HandIn> Queue::by_key(const std::string& person, const std::string& key) const {
  std::vector<HandIn> found;
  store_.read([&](Database& database) {
    found = select(database, "WHERE h.person = ? AND h.key = ?", person, key);
  });
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::vector<HandIn> Queue::in_work() const {
  std::vector<HandIn> all;
  store_.read([&](Database& database) { all = all_in_work(database); });
  return all;
}

std::vector<HandIn> Queue::of_owner(const std::string& owner, const std::string& assignment) const {
  std::vector<HandIn> all;
  store_.read([&](Database& database) {
    all = select(database, "WHERE s.owner = ? AND s.assignment = ? ORDER BY h.submission", owner,
                 assignment);
  });
  return all;
}

std::vector<HandIn> Queue::with_state(State state) const {
  std::vector<HandIn> all;
  store_.read([&](Database& database) {
    all = select(database, "WHERE h.state = ? ORDER BY h.submission", std::string(name_of(state)));
  });
  return all;
}

std::int64_t Queue::count(State state) const {
  std::int64_t count = 0;
  store_.read([&](Database& database) {
    auto query = sql::prepare(database, "SELECT COUNT(*) FROM hand_in WHERE state = ?",
                              std::string(name_of(state)));
    query.executeStep();
    count = query.getColumn(0).getInt64();
  });
  return count;
}

std::optional<HandIn> Queue::claim(
    const std::string& worker, Moment now,
    const std::function<std::optional<std::int64_t>(const std::vector<HandIn>&)>& choose) {
  std::optional<HandIn> claimed;
  store_.work([&](Database& database) {
    Transaction transaction(database, kWriting);
    const auto chosen = choose(all_in_work(database));
    if (!chosen) return;
    const int taken = sql::execute(
        database,
        "UPDATE hand_in SET state = 'running', run = run + 1, worker = ?2, started = ?3 "
        "WHERE submission = ?1 AND state = 'queued'",
        *chosen, worker, sql::stored(now));
    if (taken == 0) return;
    add_event(database, *chosen, events::Started{worker}, now);
    claimed = select(database, "WHERE h.submission = ?", *chosen).front();
    transaction.commit();
  });
  return claimed;
}

bool Queue::finish(std::int64_t submission, int run, const events::Done& done, Moment now) {
  bool changed = false;
  store_.work([&](Database& database) {
    Transaction transaction(database, kWriting);
    changed = sql::execute(database,
                           "UPDATE hand_in SET state = 'done', ended = ?3 "
                           "WHERE submission = ?1 AND run = ?2 AND state = 'running'",
                           submission, run, sql::stored(now)) > 0;
    if (changed) add_event(database, submission, done, now);
    transaction.commit();
  });
  return changed;
}

bool Queue::fault(std::int64_t submission, int run, Moment now, std::chrono::seconds again_after) {
  bool changed = false;
  store_.work([&](Database& database) {
    Transaction transaction(database, kWriting);
    changed = sql::execute(database,
                           "UPDATE hand_in SET faults = faults + 1, ended = ?3, not_before = ?4, "
                           "state = CASE WHEN faults + 1 < ?5 THEN 'queued' ELSE 'stuck' END "
                           "WHERE submission = ?1 AND run = ?2 AND state = 'running'",
                           submission, run, sql::stored(now), sql::stored(now + again_after),
                           kMaxFaults) > 0;
    if (changed) {
      const bool stuck =
          select(database, "WHERE h.submission = ?", submission).front().state == State::stuck;
      add_event(database, submission,
                stuck ? Event(events::Stuck{}) : events::QueuedAgain{Why::fault}, now);
    }
    transaction.commit();
  });
  return changed;
}

bool Queue::give_back(std::int64_t submission, int run, Moment now) {
  bool changed = false;
  store_.work([&](Database& database) {
    Transaction transaction(database, kWriting);
    changed = sql::execute(database,
                           "UPDATE hand_in SET state = 'queued', worker = '', started = NULL "
                           "WHERE submission = ?1 AND run = ?2 AND state = 'running'",
                           submission, run) > 0;
    if (changed) add_event(database, submission, events::QueuedAgain{Why::interrupted}, now);
    transaction.commit();
  });
  return changed;
}

bool Queue::cancel(std::int64_t submission, Moment now) {
  bool changed = false;
  store_.work([&](Database& database) {
    Transaction transaction(database, kWriting);
    changed =
        sql::execute(database,
                     "UPDATE hand_in SET state = 'cancelled', ended = ?2 "
                     "WHERE submission = ?1 AND state = 'queued' AND NOT EXISTS (SELECT 1 "
                     "FROM attempt a WHERE a.submission = ?1 AND a.outcome <> 'grader_fault')",
                     submission, sql::stored(now)) > 0;
    if (changed) add_event(database, submission, events::Cancelled{}, now);
    transaction.commit();
  });
  return changed;
}

bool Queue::requeue(std::int64_t submission, Moment now) {
  bool changed = false;
  store_.work([&](Database& database) {
    Transaction transaction(database, kWriting);
    changed = sql::execute(database,
                           "UPDATE hand_in SET state = 'queued', faults = 0, not_before = 0 "
                           "WHERE submission = ? AND state IN ('stuck', 'cancelled')",
                           submission) > 0;
    if (changed) add_event(database, submission, events::QueuedAgain{Why::staff}, now);
    transaction.commit();
  });
  return changed;
}

void Queue::add(std::int64_t submission, const Event& event, Moment now) {
  store_.work([&](Database& database) { add_event(database, submission, event, now); });
}

std::vector<StoredEvent> Queue::events(std::int64_t submission, std::int64_t after) const {
  std::vector<StoredEvent> all;
  store_.read([&](Database& database) {
    auto query = sql::prepare(database,
                              "SELECT id, at, text FROM event "
                              "WHERE submission = ? AND id > ? ORDER BY id",
                              submission, after);
    while (query.executeStep()) {
      all.push_back({query.getColumn(0).getInt64(), sql::moment_in(query.getColumn(1)),
                     report::event_from_json(query.getColumn(2).getString())});
    }
  });
  return all;
}

std::vector<std::chrono::seconds> Queue::durations(const std::string& assignment,
                                                   int newest) const {
  std::vector<std::chrono::seconds> all;
  store_.read([&](Database& database) {
    auto query = sql::prepare(database,
                              "SELECT h.ended - h.started FROM hand_in h CROSS JOIN submission s "
                              "ON s.id = h.submission WHERE s.assignment = ? AND h.state = 'done' "
                              "AND h.started IS NOT NULL ORDER BY h.ended DESC LIMIT ?",
                              assignment, newest);
    while (query.executeStep()) all.emplace_back(query.getColumn(0).getInt64());
  });
  return all;
}

std::int64_t Queue::version() const { return store_.version(); }

std::string Queue::setting(const std::string& name) const {
  std::string value;
  store_.read([&](Database& database) {
    auto query = sql::prepare(database, "SELECT value FROM setting WHERE name = ?", name);
    if (query.executeStep()) value = query.getColumn(0).getString();
  });
  return value;
}

void Queue::set(const std::string& name, const std::string& value) {
  store_.work([&](Database& database) {
    sql::execute(database,
                 "INSERT INTO setting VALUES (?1, ?2) "
                 "ON CONFLICT (name) DO UPDATE SET value = ?2",
                 name, value);
  });
}

}  // namespace opgrade::service
