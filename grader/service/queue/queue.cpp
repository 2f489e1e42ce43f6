#include "grader/service/queue/queue.hpp"

#include <fmt/format.h>

#include <array>

#include "grader/base/core/error.hpp"
#include "grader/course/store/sql.hpp"
#include "grader/report/words/events.hpp"

namespace opgrade::service {
namespace {

namespace sql = course::sql;
using course::Moment;
using Why = events::QueuedAgain::Why;
using SQLite::Database;

constexpr std::array<std::string_view, 6> kStates{"queued",    "running", "done",
                                                  "cancelled", "stuck",   "added"};

/// Selects submissions, including those that were never in the queue. `source` is a database or a
/// store.
std::vector<HandIn> select(auto& source, const std::string& where, const auto&... values) {
  return sql::rows<HandIn>(
      source,
      "SELECT s.id, s.assignment, s.owner, s.sha256, s.file, s.handed_in, s.source, s.added, "
      "s.added_by, s.limited, s.withdrawn, s.not_gradable, "
      "coalesce(h.person, 'staff'), coalesce(h.key, ''), coalesce(h.state, CASE WHEN "
      "EXISTS (SELECT 1 FROM attempt a WHERE a.submission = s.id AND "
      "a.outcome <> 'grader_fault') THEN 'done' ELSE 'added' END), coalesce(h.staff, 1), "
      "coalesce(h.run, 0), coalesce(h.faults, 0), coalesce(h.worker, ''), "
      "coalesce(h.not_before, 0), coalesce(h.queued, s.added), h.started, h.ended, "
      "coalesce(u.cases, 0), coalesce(h.tool, ''), coalesce(h.added, 1) FROM submission s LEFT "
      "JOIN hand_in h ON s.id = "
      "h.submission "
      "LEFT JOIN unfinished_run u ON s.id = u.submission " +
          where,
      values...);
}

std::optional<HandIn> first_of(std::vector<HandIn> all) {
  return all.empty() ? std::nullopt : std::optional(std::move(all.front()));
}

constexpr const char* kInWork =
    "WHERE s.id IN (SELECT submission FROM hand_in WHERE state IN ('queued', 'running')) "
    "ORDER BY s.id";

void add_event(Database& database, std::int64_t submission, const Event& event, Moment now) {
  sql::execute(database, "INSERT INTO event (submission, at, kind, text) VALUES (?, ?, ?, ?)",
               submission, now, report::event_name(event), report::event_json(event));
}

/// Whether the finished cases of an interrupted practice run are kept.
enum class Cases { stay, go };

/// Records the end of a worker's run. If the clock was set back, the run has the length 0.
void end_worker_run(Database& database, std::int64_t submission, Moment now, Cases cases) {
  sql::execute(database,
               "UPDATE worker_run SET ended = max(begun, ?2) "
               "WHERE submission = ?1 AND ended IS NULL",
               submission, now);
  if (cases == Cases::go)
    sql::execute(database, "DELETE FROM unfinished_run WHERE submission = ?", submission);
}

/// Changes the state by the statement, whose ?1 is the submission. Adds the event if the statement
/// changed a row. After that no worker has the submission.
template <class... Values>
bool change(const course::Store& store, std::int64_t submission, const Event& event, Moment now,
            Cases cases, const char* update, const Values&... values) {
  return sql::change(store, [&](Database& database) {
    const bool changed = sql::execute(database, update, submission, values...) > 0;
    if (changed) {
      end_worker_run(database, submission, now, cases);
      add_event(database, submission, event, now);
    }
    return changed;
  });
}

}  // namespace

std::string purpose_of(const HandIn& hand_in) {
  return fmt::format("{}.{}", hand_in.submission.assignment, hand_in.submission.id);
}

std::string_view name_of(State state) { return kStates[static_cast<std::size_t>(state)]; }

// Found by argument: sql::rows() calls it.
static void from_column(const SQLite::Column& column, State& out) {
  const std::string name = column.getString();
  const auto state = sql::value_named<State>(kStates, name);
  if (!state)
    throw Error(fmt::format("course.db has a submission in the unknown state '{}'", name),
                "use the newer opgrade that wrote it");
  out = *state;
}

bool Queue::add(HandIn& hand_in, const Within& within) {
  return sql::change(store_, [&](Database& database) {
    auto& submission = hand_in.submission;
    sql::add(database, submission);
    // Two uploads of one content in one second, with different keys, are one submission.
    if (auto twin = first_of(select(database, "WHERE h.submission = ?", submission.id))) {
      hand_in = *std::move(twin);
      within(database, false);
      return false;
    }
    sql::execute(database,
                 "INSERT INTO hand_in (submission, person, key, state, staff, queued, tool) "
                 "VALUES (?, ?, ?, 'queued', ?, ?, ?)",
                 submission.id, hand_in.person, hand_in.key, hand_in.staff, hand_in.queued,
                 hand_in.tool);
    add_event(database, submission.id, events::Queued{}, hand_in.queued);
    within(database, true);
    return true;
  });
}

bool Queue::add_document(HandIn& hand_in, const Within& within) {
  return sql::change(store_, [&](Database& database) {
    auto& submission = hand_in.submission;
    sql::add(database, submission);
    const bool is_new =
        sql::execute(database,
                     "INSERT INTO hand_in (submission, person, key, state, staff, queued, ended) "
                     "VALUES (?1, ?2, ?3, 'done', ?4, ?5, ?5) ON CONFLICT DO NOTHING",
                     submission.id, hand_in.person, hand_in.key, hand_in.staff, hand_in.queued) > 0;
    hand_in.state = State::done;
    within(database, is_new);
    return is_new;
  });
}

bool Queue::add_stored(std::int64_t submission, Moment now) {
  return sql::change(store_, [&](Database& database) {
    const bool is_new =
        sql::execute(database,
                     "INSERT INTO hand_in (submission, person, key, state, staff, queued, added) "
                     "SELECT id, 'staff', 'added-' || id, 'queued', 1, ?2, 1 FROM submission "
                     "WHERE id = ?1 ON CONFLICT DO NOTHING",
                     submission, now) > 0;
    if (is_new) add_event(database, submission, events::Queued{}, now);
    return is_new;
  });
}

std::optional<HandIn> Queue::find(std::int64_t submission) const {
  return first_of(select(store_, "WHERE s.id = ?", submission));
}

std::optional<HandIn> Queue::by_key(const std::string& person, const std::string& key) const {
  return first_of(
      select(store_, "WHERE s.id = (SELECT submission FROM hand_in WHERE person = ? AND key = ?)",
             person, key));
}

std::vector<HandIn> Queue::in_work() const { return select(store_, kInWork); }

std::vector<HandIn> Queue::of_owner(const std::string& owner, const std::string& assignment) const {
  return select(store_, "WHERE s.owner = ? AND s.assignment = ? ORDER BY s.id", owner, assignment);
}

std::vector<HandIn> Queue::with_state(State state) const {
  return select(store_,
                "WHERE s.id IN (SELECT submission FROM hand_in WHERE state = ?) ORDER BY s.id",
                name_of(state));
}

std::vector<HandIn> Queue::copies_of(const course::Submission& s) const {
  return select(store_,
                "WHERE s.assignment = ? AND s.sha256 = ? AND s.owner <> ? "
                "ORDER BY s.handed_in, s.id",
                s.assignment, s.sha256, s.owner);
}

std::int64_t Queue::count(State state) const {
  return sql::rows<std::int64_t>(store_, "SELECT COUNT(*) FROM hand_in WHERE state = ?",
                                 name_of(state))
      .front();
}

std::optional<HandIn> Queue::claim(
    const std::string& worker, Moment now,
    const std::function<std::optional<std::int64_t>(const std::vector<HandIn>&)>& choose) {
  return sql::change(store_, [&](Database& database) -> std::optional<HandIn> {
    const auto chosen = choose(select(database, kInWork));
    if (!chosen) return std::nullopt;
    const int taken = sql::execute(
        database,
        "UPDATE hand_in SET state = 'running', run = run + 1, worker = ?2, started = ?3 "
        "WHERE submission = ?1 AND state = 'queued'",
        *chosen, worker, now);
    if (taken == 0) return std::nullopt;
    sql::execute(database,
                 "INSERT INTO worker_run (submission, run, begun) "
                 "SELECT submission, run, started FROM hand_in WHERE submission = ?",
                 *chosen);
    add_event(database, *chosen, events::Started{worker}, now);
    return first_of(select(database, "WHERE s.id = ?", *chosen));
  });
}

bool Queue::finish(std::int64_t submission, int run, const events::Done& done, Moment now) {
  return change(store_, submission, done, now, Cases::go,
                "UPDATE hand_in SET state = 'done', ended = ?3 "
                "WHERE submission = ?1 AND run = ?2 AND state = 'running'",
                run, now);
}

bool Queue::fault(std::int64_t submission, int run, Moment now, std::chrono::seconds again_after) {
  return sql::change(store_, [&](Database& database) {
    const auto states =
        sql::rows<State>(database,
                         "UPDATE hand_in SET faults = faults + 1, ended = ?3, not_before = ?4, "
                         "state = CASE WHEN faults + 1 < ?5 THEN 'queued' ELSE 'stuck' END "
                         "WHERE submission = ?1 AND run = ?2 AND state = 'running' RETURNING state",
                         submission, run, now, now + again_after, kMaxFaults);
    if (!states.empty()) end_worker_run(database, submission, now, Cases::go);
    for (const State state : states)
      add_event(database, submission,
                state == State::stuck ? Event(events::Stuck{}) : events::QueuedAgain{Why::fault},
                now);
    return !states.empty();
  });
}

bool Queue::give_back(std::int64_t submission, int run, Moment now) {
  return change(store_, submission, events::QueuedAgain{Why::interrupted}, now, Cases::stay,
                "UPDATE hand_in SET state = 'queued', worker = '', started = NULL "
                "WHERE submission = ?1 AND run = ?2 AND state = 'running'",
                run);
}

bool Queue::end_run(std::int64_t submission, int run, const std::string& why, Moment now) {
  return sql::change(store_, [&](Database& database) {
    const bool changed = sql::execute(database,
                                      "UPDATE hand_in SET state = 'cancelled', ended = ?3 "
                                      "WHERE submission = ?1 AND run = ?2 AND state = 'running'",
                                      submission, run, now) > 0;
    if (changed) {
      end_worker_run(database, submission, now, Cases::go);
      add_event(database, submission, events::Remark{why}, now);
      add_event(database, submission, events::Cancelled{}, now);
    }
    return changed;
  });
}

bool Queue::cancel(std::int64_t submission, Moment now) {
  return change(store_, submission, events::Cancelled{}, now, Cases::go,
                "UPDATE hand_in SET state = 'cancelled', ended = ?2 "
                "WHERE submission = ?1 AND state = 'queued' AND NOT EXISTS (SELECT 1 "
                "FROM attempt a WHERE a.submission = ?1 AND a.outcome <> 'grader_fault')",
                now);
}

bool Queue::requeue(std::int64_t submission, Moment now) {
  return change(store_, submission, events::QueuedAgain{Why::staff}, now, Cases::go,
                "UPDATE hand_in SET state = 'queued', faults = 0, not_before = 0 "
                "WHERE submission = ? AND state IN ('stuck', 'cancelled')");
}

void Queue::add(std::int64_t submission, const Event& event, Moment now) {
  store_.work([&](Database& database) { add_event(database, submission, event, now); });
}

std::vector<StoredEvent> Queue::events(std::int64_t submission, std::int64_t after) const {
  struct Row {
    std::int64_t id = 0;
    Moment at;
    std::string text;
  };
  const auto rows = sql::rows<Row>(
      store_, "SELECT id, at, text FROM event WHERE submission = ? AND id > ? ORDER BY id",
      submission, after);
  std::vector<StoredEvent> all;
  for (const Row& row : rows) all.push_back({row.id, row.at, report::event_from_json(row.text)});
  return all;
}

void Queue::keep_cases(std::int64_t submission, int run, int cases, const std::string& report) {
  sql::execute(store_,
               "INSERT OR REPLACE INTO unfinished_run SELECT submission, ?3, ?4 FROM hand_in "
               "WHERE submission = ?1 AND run = ?2 AND state = 'running'",
               submission, run, cases, report);
}

std::string Queue::kept_cases(std::int64_t submission) const {
  const auto kept = sql::rows<std::string>(
      store_, "SELECT report FROM unfinished_run WHERE submission = ?", submission);
  return kept.empty() ? "" : kept.front();
}

std::int64_t Queue::progress() const {
  return sql::rows<std::int64_t>(store_,
                                 "SELECT (SELECT COUNT(*) FROM attempt) + "
                                 "coalesce((SELECT SUM(cases) FROM unfinished_run), 0)")
      .front();
}

std::chrono::seconds Queue::worker_time(std::int64_t submission, Moment now) const {
  return std::chrono::seconds(
      sql::rows<std::int64_t>(store_,
                              "SELECT coalesce(SUM(max(coalesce(ended, ?2) - begun, 0)), 0) "
                              "FROM worker_run WHERE submission = ?1",
                              submission, now)
          .front());
}

std::map<std::string, std::chrono::seconds> Queue::practice_times(Moment since, Moment now) const {
  std::map<std::string, std::chrono::seconds> times;
  for (const auto& [owner, seconds] : sql::rows<std::pair<std::string, std::int64_t>>(
           store_,
           "SELECT s.owner, SUM(max(coalesce(r.ended, ?3) - max(r.begun, ?2), 0)) "
           "FROM worker_run r JOIN submission s ON s.id = r.submission "
           "WHERE s.assignment LIKE ?1 AND (r.ended IS NULL OR r.ended > ?2) GROUP BY s.owner",
           std::string(course::kPractice) + "%", since, now))
    times[owner] = std::chrono::seconds(seconds);
  return times;
}

std::vector<PracticeUse> Queue::practice_use(Moment since, Moment now) const {
  struct Row {
    std::string owner, assignment;
    int runs = 0;
    std::int64_t since = 0, all = 0;
  };
  std::vector<PracticeUse> uses;
  for (Row& row : sql::rows<Row>(
           store_,
           "SELECT s.owner, s.assignment, COUNT(DISTINCT s.id), "
           "SUM(max(coalesce(r.ended, ?3) - max(r.begun, ?2), 0)) AS late, "
           "SUM(max(coalesce(r.ended, ?3) - r.begun, 0)) "
           "FROM worker_run r JOIN submission s ON s.id = r.submission "
           "WHERE s.assignment LIKE ?1 GROUP BY s.owner, s.assignment ORDER BY late DESC, s.owner",
           std::string(course::kPractice) + "%", since, now))
    uses.push_back({std::move(row.owner), std::move(row.assignment), row.runs,
                    std::chrono::seconds(row.since), std::chrono::seconds(row.all)});
  return uses;
}

std::vector<std::chrono::seconds> Queue::durations(const std::string& assignment,
                                                   int newest) const {
  // An interrupted hand-in starts from the beginning, but a practice run goes on, so its parts are
  // added.
  const std::string time = assignment.starts_with(course::kPractice)
                               ? "(SELECT sum(r.ended - r.begun) FROM worker_run r "
                                 "WHERE r.submission = s.id)"
                               : "NULL";
  const auto seconds = sql::rows<std::int64_t>(
      store_,
      "SELECT coalesce(" + time +
          ", h.ended - h.started) FROM hand_in h CROSS JOIN submission s "
          "ON s.id = h.submission WHERE s.assignment = ? AND h.state = 'done' "
          "AND h.started IS NOT NULL ORDER BY h.ended DESC LIMIT ?",
      assignment, newest);
  return {seconds.begin(), seconds.end()};
}

std::string Queue::setting(const std::string& name) const {
  const auto values =
      sql::rows<std::string>(store_, "SELECT value FROM setting WHERE name = ?", name);
  return values.empty() ? "" : values.front();
}

void Queue::set(const std::string& name, const std::string& value) {
  sql::execute(store_,
               "INSERT INTO setting VALUES (?1, ?2) "
               "ON CONFLICT (name) DO UPDATE SET value = ?2",
               name, value);
}

}  // namespace opgrade::service
