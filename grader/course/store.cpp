#include "grader/course/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "grader/core/error.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/schema.hpp"

namespace opgrade::course {
namespace {

namespace fs = std::filesystem;
using SQLite::Statement;

constexpr int kPatienceMs = 60'000;        // for another process that writes
constexpr int kReadersPatienceMs = 5'000;  // while another process restores a log that a kill left
constexpr std::size_t kKeptReaders = 8;

constexpr std::array<std::string_view, 3> kRejudgeStates{"open", "applied", "cancelled"};
constexpr std::array<std::string_view, 4> kKinds{"points", "item", "excused", "none"};

std::int64_t seconds_of(Moment moment) { return moment.time_since_epoch().count(); }
Moment moment_of(const SQLite::Column& column) {
  return Moment(std::chrono::seconds(column.getInt64()));
}

template <class F>
auto database_work(const fs::path& file, F&& work) {
  try {
    return work();
  } catch (const SQLite::Exception& e) {
    throw Error(fmt::format("{}: {}", file.string(), e.what()),
                "check the free space and the rights on the course folder; opgrade course verify "
                "says whether the file is damaged");
  }
}

/// Binds the values to ?1, ?2, ... in order.
template <class... Values>
void bind_all(Statement& statement, const Values&... values) {
  int i = 0;
  (statement.bind(++i, values), ...);
}

/// Device and inode: they stay with a file that is moved, and no other file gets them while this
/// process has it open.
using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> identity_of(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{info.st_dev, info.st_ino};
}

}  // namespace

struct Store::State {
  State(fs::path path, int flags)
      : file(std::move(path)), database(file.string(), flags), identity(identity_of(file)) {}

  template <class F>
  auto with(F&& work) {
    const std::scoped_lock lock(guard);
    return database_work(file, [&] { return work(database); });
  }

  /// With a connection of its own, which is kept for the next reader unless it failed.
  template <class F>
  auto reading(F&& work) {
    return database_work(file, [&] {
      std::unique_ptr<SQLite::Database> own;
      {
        const std::scoped_lock lock(readers_guard);
        if (!readers.empty()) {
          own = std::move(readers.back());
          readers.pop_back();
        }
      }
      // The path names another file, or none.
      if (!own && identity_of(file) != identity) {
        const std::scoped_lock lock(guard);
        return work(database);
      }
      if (!own)
        own = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READONLY,
                                                 kReadersPatienceMs);
      auto result = work(*own);
      const std::scoped_lock lock(readers_guard);
      if (readers.size() < kKeptReaders) readers.push_back(std::move(own));
      return result;
    });
  }

  /// With the connection that makes no change, and so is told of everybody's. It does not wait.
  template <class F>
  auto watching(F&& work) {
    const std::scoped_lock lock(watcher_guard);
    if (!watcher) watcher.emplace(file.string(), SQLite::OPEN_READWRITE);
    return work(*watcher);
  }

  const fs::path file;
  std::mutex guard;
  SQLite::Database database;
  const std::optional<FileIdentity> identity;
  std::mutex readers_guard;
  std::vector<std::unique_ptr<SQLite::Database>> readers;  // at rest
  std::mutex watcher_guard;
  std::optional<SQLite::Database> watcher;
};

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open_file(const fs::path& folder, bool create, const StoreOptions& options) {
  require_local_disk(folder, options.file_system);
  const fs::path file = folder / kDatabase;
  return database_work(file, [&] {
    // Grades are for staff: the files that SQLite makes beside it get the same rights.
    const mode_t before = ::umask(0077);
    struct RestoreMask {
      mode_t mask;
      ~RestoreMask() { ::umask(mask); }
    } restore{before};
    auto state =
        std::make_unique<State>(file, SQLite::OPEN_READWRITE | (create ? SQLite::OPEN_CREATE : 0));
    auto& database = state->database;
    database.setBusyTimeout(kPatienceMs);
    database.exec("PRAGMA journal_mode = WAL");
    // Also after a power cut a recorded attempt is there.
    database.exec("PRAGMA synchronous = FULL");
    database.exec("PRAGMA foreign_keys = ON");
    migrate(database, file, migrations());
    return Store(std::move(state));
  });
}

Store Store::create(const fs::path& folder, const StoreOptions& options) {
  return open_file(folder, true, options);
}

Store Store::open(const fs::path& folder, const StoreOptions& options) {
  std::error_code ignored;
  if (!fs::exists(folder / kDatabase, ignored)) {
    throw UsageError(fmt::format("{} has no {}", folder.string(), kDatabase),
                     "opgrade course init DIR makes a course folder; was the file moved away?");
  }
  return open_file(folder, false, options);
}

bool Store::add(Submission& s) {
  return state_->with([&](SQLite::Database& database) {
    Statement insert(database,
                     "INSERT INTO submission (assignment, owner, sha256, file, handed_in, source, "
                     "added, added_by, not_gradable) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                     "ON CONFLICT (assignment, owner, sha256, handed_in) DO NOTHING");
    bind_all(insert, s.assignment, s.owner, s.sha256, s.file, seconds_of(s.handed_in), s.source,
             seconds_of(s.added), s.added_by, s.not_gradable);
    if (insert.exec() == 0) return false;
    s.id = database.getLastInsertRowid();
    return true;
  });
}

void Store::set_not_gradable(std::int64_t submission, const std::string& why) {
  state_->with([&](SQLite::Database& database) {
    Statement update(database, "UPDATE submission SET not_gradable = ? WHERE id = ?");
    bind_all(update, why, submission);
    update.exec();
  });
}

std::vector<Submission> Store::submissions(const std::string& assignment,
                                           const std::string& owner) const {
  return state_->reading([&](SQLite::Database& database) {
    // An index is used where the statement has the condition, not where it says "or all".
    std::string where;
    if (!assignment.empty()) where = "WHERE assignment = ?1 ";
    if (!owner.empty()) where += where.empty() ? "WHERE owner = ?2 " : "AND owner = ?2 ";
    Statement query(database,
                    "SELECT id, assignment, owner, sha256, file, handed_in, source, added, "
                    "added_by, hand_in.state IS NOT NULL, hand_in.state IS 'cancelled', "
                    "not_gradable "
                    "FROM submission LEFT JOIN hand_in ON hand_in.submission = id " +
                        where + "ORDER BY handed_in, id");
    if (!assignment.empty()) query.bind(1, assignment);
    if (!owner.empty()) query.bind(2, owner);
    std::vector<Submission> all;
    while (query.executeStep()) {
      all.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(),
                     query.getColumn(2).getString(), query.getColumn(3).getString(),
                     query.getColumn(4).getString(), moment_of(query.getColumn(5)),
                     query.getColumn(6).getString(), moment_of(query.getColumn(7)),
                     query.getColumn(8).getString(), query.getColumn(9).getInt() != 0,
                     query.getColumn(10).getInt() != 0, query.getColumn(11).getString()});
    }
    return all;
  });
}

bool Store::record(Attempt& a, const std::vector<Sample>& samples) {
  return state_->with([&](SQLite::Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    Statement insert(database,
                     "INSERT INTO attempt (submission, config_sha256, version, number, machine, "
                     "tier, device, started, outcome, points, max_points, open_points, result, "
                     "result_sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                     "ON CONFLICT (submission, config_sha256, version, number) DO NOTHING");
    bind_all(insert, a.submission, a.config_sha256, a.version, a.number, a.machine, a.tier,
             a.device, a.started, std::string(words(a.outcome).id), a.points, a.max_points,
             a.open_points, a.result, a.result_sha256);
    if (insert.exec() == 0) return false;
    a.id = database.getLastInsertRowid();
    Statement one(database, "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?)");
    for (const Sample& sample : samples) {
      bind_all(one, a.id, sample.stage, sample.case_id, sample.layer, sample.number,
               sample.op_time_ms);
      one.exec();
      one.reset();
    }
    transaction.commit();
    return true;
  });
}

std::set<std::int64_t> Store::unfinished() const {
  return state_->reading([&](SQLite::Database& database) {
    Statement query(database,
                    "SELECT submission FROM hand_in WHERE state IN ('queued', 'running', 'stuck')");
    std::set<std::int64_t> all;
    while (query.executeStep()) all.insert(query.getColumn(0).getInt64());
    return all;
  });
}

std::vector<Attempt> Store::attempts(std::optional<std::int64_t> submission) const {
  return state_->reading([&](SQLite::Database& database) {
    // A rejudge stands where the last grading stood that it followed; at one place the last
    // decision counts.
    const std::string where = submission ? "WHERE submission = ?1 " : "";
    Statement query(
        database,
        "SELECT a.id, submission, a.config_sha256, version, number, machine, tier, device, "
        "started, outcome, points, max_points, open_points, result, result_sha256, "
        "IFNULL(j.rejudge, 0), j.rejudge IS NULL OR IFNULL(d.applied, 0), "
        "ROW_NUMBER() OVER (PARTITION BY submission ORDER BY IIF(j.rejudge IS NULL, a.id, "
        "(SELECT IFNULL(MAX(o.id), 0) FROM attempt o LEFT JOIN rejudge_job oj USING "
        "(submission, config_sha256, version, number) WHERE o.submission = a.submission "
        "AND o.id <= r.follows AND oj.rejudge IS NULL)), "
        "j.rejudge IS NOT NULL, d.at IS NULL, d.at, j.rejudge, a.id) "
        "FROM attempt a LEFT JOIN rejudge_job j USING "
        "(submission, config_sha256, version, number) "
        "LEFT JOIN rejudge r ON r.id = j.rejudge "
        "LEFT JOIN rejudge_decision d ON d.rejudge = j.rejudge " +
            where + "ORDER BY a.id");
    if (submission) query.bind(1, *submission);
    std::vector<Attempt> all;
    while (query.executeStep()) {
      const std::string outcome = query.getColumn(9).getString();
      const auto known = std::ranges::find(kOutcomes, outcome, &OutcomeWords::id);
      all.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getInt64(),
                     query.getColumn(2).getString(), query.getColumn(3).getString(),
                     query.getColumn(4).getInt(), query.getColumn(5).getString(),
                     query.getColumn(6).getString(), query.getColumn(7).getString(),
                     query.getColumn(8).getString(),
                     known == kOutcomes.end() ? Outcome::not_run : known->outcome,
                     query.getColumn(10).getDouble(), query.getColumn(11).getDouble(),
                     query.getColumn(12).getDouble(), query.getColumn(13).getString(),
                     query.getColumn(14).getString(), query.getColumn(15).getInt64(),
                     query.getColumn(16).getInt() != 0, query.getColumn(17).getInt()});
    }
    if (submission) std::ranges::sort(all, {}, &Attempt::place);
    return all;
  });
}

int Store::next_number(std::int64_t submission, const std::string& config_sha256,
                       const std::string& version) const {
  return state_->reading([&](SQLite::Database& database) {
    Statement query(database,
                    "SELECT IFNULL(MAX(number), 0) + 1 FROM (SELECT * FROM "
                    "(SELECT submission, config_sha256, version, number FROM attempt UNION ALL "
                    "SELECT submission, config_sha256, version, number FROM rejudge_job) "
                    "WHERE submission = ? AND config_sha256 = ? AND version = ?)");
    bind_all(query, submission, config_sha256, version);
    query.executeStep();
    return query.getColumn(0).getInt();
  });
}

namespace {

void insert_jobs(SQLite::Database& database, std::int64_t rejudge,
                 const std::vector<RejudgeJob>& jobs) {
  Statement insert(database, "INSERT INTO rejudge_job VALUES (?, ?, ?, ?, ?)");
  for (const RejudgeJob& job : jobs) {
    bind_all(insert, rejudge, job.submission, job.config_sha256, job.version, job.number);
    insert.exec();
    insert.reset();
  }
}

}  // namespace

void Store::begin(Rejudge& r, const std::vector<RejudgeJob>& jobs) {
  state_->with([&](SQLite::Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    Statement insert(database,
                     "INSERT INTO rejudge (assignment, config, config_sha256, repeat, filter, at, "
                     "who, reason, changed_cases, follows) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, "
                     "(SELECT IFNULL(MAX(id), 0) FROM attempt))");
    bind_all(insert, r.assignment, r.config, r.config_sha256, r.repeat, r.filter, seconds_of(r.at),
             r.who, r.reason, r.changed_cases ? 1 : 0);
    insert.exec();
    r.id = database.getLastInsertRowid();
    insert_jobs(database, r.id, jobs);
    transaction.commit();
  });
}

void Store::add_jobs(std::int64_t rejudge, const std::vector<RejudgeJob>& jobs) {
  state_->with([&](SQLite::Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    insert_jobs(database, rejudge, jobs);
    transaction.commit();
  });
}

std::vector<Rejudge> Store::rejudges() const {
  return state_->reading([&](SQLite::Database& database) {
    Statement query(
        database,
        "SELECT r.id, assignment, config, config_sha256, repeat, filter, r.at, r.who, "
        "reason, changed_cases, d.applied, d.who FROM rejudge r LEFT JOIN rejudge_decision d "
        "ON d.rejudge = r.id ORDER BY r.id");
    std::vector<Rejudge> all;
    while (query.executeStep()) {
      Rejudge r{query.getColumn(0).getInt64(),  query.getColumn(1).getString(),
                query.getColumn(2).getString(), query.getColumn(3).getString(),
                query.getColumn(4).getInt(),    query.getColumn(5).getString(),
                moment_of(query.getColumn(6)),  query.getColumn(7).getString(),
                query.getColumn(8).getString(), query.getColumn(9).getInt() != 0};
      if (!query.getColumn(10).isNull()) {
        r.state =
            query.getColumn(10).getInt() != 0 ? Rejudge::State::applied : Rejudge::State::cancelled;
        r.decided_by = query.getColumn(11).getString();
      }
      all.push_back(std::move(r));
    }
    return all;
  });
}

std::vector<RejudgeJob> Store::rejudge_jobs(std::int64_t rejudge) const {
  return state_->reading([&](SQLite::Database& database) {
    Statement query(database,
                    "SELECT submission, config_sha256, version, number FROM rejudge_job "
                    "WHERE rejudge = ? ORDER BY number, submission");
    query.bind(1, rejudge);
    std::vector<RejudgeJob> all;
    while (query.executeStep()) {
      all.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(),
                     query.getColumn(2).getString(), query.getColumn(3).getInt()});
    }
    return all;
  });
}

bool Store::decide(std::int64_t rejudge, bool apply, Moment at, const std::string& who) {
  return state_->with([&](SQLite::Database& database) {
    Statement insert(database,
                     "INSERT INTO rejudge_decision VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
    bind_all(insert, rejudge, apply ? 1 : 0, seconds_of(at), who);
    return insert.exec() == 1;
  });
}

std::vector<Sample> Store::samples(std::int64_t attempt) const {
  return state_->reading([&](SQLite::Database& database) {
    Statement query(database,
                    "SELECT stage, case_id, layer, number, op_time_ms FROM sample "
                    "WHERE attempt = ? ORDER BY rowid");
    query.bind(1, attempt);
    std::vector<Sample> all;
    while (query.executeStep()) {
      all.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(),
                     query.getColumn(2).getString(), query.getColumn(3).getInt(),
                     query.getColumn(4).getDouble()});
    }
    return all;
  });
}

void Store::change(const Change& c, const std::string& address) {
  state_->with([&](SQLite::Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    Statement insert(database,
                     "INSERT INTO change (at, who, student, assignment, kind, item, reason, "
                     "points, maximum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bind_all(insert, seconds_of(c.at), c.who, c.student, c.assignment, std::string(name_of(c.kind)),
             c.item, c.reason);
    if (c.points) insert.bind(8, *c.points);
    if (c.maximum) insert.bind(9, *c.maximum);
    insert.exec();
    Statement audit(database,
                    "INSERT INTO audit (at, who, address, action, subject) "
                    "VALUES (?, ?, ?, 'set points', ?)");
    bind_all(audit, seconds_of(c.at), c.who, address, text_of(c));
    audit.exec();
    transaction.commit();
  });
}

std::vector<Change> Store::changes(const std::string& student) const {
  return state_->reading([&](SQLite::Database& database) {
    Statement query(database,
                    "SELECT id, at, who, student, assignment, kind, item, points, maximum, reason "
                    "FROM change WHERE ?1 = '' OR student = ?1 ORDER BY id");
    query.bind(1, student);
    std::vector<Change> all;
    const auto number = [&](int column) {
      const SQLite::Column value = query.getColumn(column);
      return value.isNull() ? std::nullopt : std::optional(value.getDouble());
    };
    while (query.executeStep()) {
      Change c{query.getColumn(0).getInt64(),
               moment_of(query.getColumn(1)),
               query.getColumn(2).getString(),
               query.getColumn(3).getString(),
               query.getColumn(4).getString(),
               Change::Kind::none,
               query.getColumn(6).getString(),
               number(7),
               number(8),
               query.getColumn(9).getString()};
      const auto kind = std::ranges::find(kKinds, query.getColumn(5).getString());
      if (kind != kKinds.end()) c.kind = static_cast<Change::Kind>(kind - kKinds.begin());
      all.push_back(std::move(c));
    }
    return all;
  });
}

void Store::work(const std::function<void(SQLite::Database&)>& on_database) const {
  state_->with(on_database);
}

void Store::read(const std::function<void(SQLite::Database&)>& on_database) const {
  state_->reading([&](SQLite::Database& database) {
    on_database(database);
    return true;
  });
}

std::int64_t Store::version() const {
  return database_work(state_->file, [&] {
    return state_->watching([](SQLite::Database& database) {
      return database.execAndGet("PRAGMA data_version").getInt64();
    });
  });
}

std::optional<std::string> Store::refuses_changes() const {
  try {
    state_->watching([](SQLite::Database& database) {
      const SQLite::Transaction ends_at_once(database, SQLite::TransactionBehavior::IMMEDIATE);
      return true;
    });
    return std::nullopt;
  } catch (const SQLite::Exception& e) {
    return e.what();
  }
}

bool Store::is_in_place() const {
  return state_->identity && identity_of(state_->file) == state_->identity;
}

void Store::require_place() const {
  if (is_in_place()) return;
  throw Error(fmt::format("{} is not the database that this program opened: its folder was moved "
                          "or replaced",
                          state_->file.string()),
              "end this program and start it with the folder's path of now");
}

std::vector<std::string> Store::damage() const {
  return state_->with([&](SQLite::Database& database) {
    std::vector<std::string> found;
    Statement check(database, "PRAGMA integrity_check");
    while (check.executeStep())
      if (const auto text = check.getColumn(0).getString(); text != "ok") found.push_back(text);
    Statement keys(database, "PRAGMA foreign_key_check");
    while (keys.executeStep()) {
      found.push_back(fmt::format("a row of the table {} names a {} that is not there",
                                  keys.getColumn(0).getString(), keys.getColumn(2).getString()));
    }
    return found;
  });
}

std::string_view name_of(Change::Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string text_of(const Change& change) {
  return fmt::format(
      "{} {} {}{}: {}", change.student, change.assignment,
      change.item.empty() ? "" : change.item + " ",
      change.points ? fmt::format("{:g}", *change.points) : std::string(name_of(change.kind)),
      change.reason);
}

std::string_view name_of(Rejudge::State state) {
  return kRejudgeStates[static_cast<std::size_t>(state)];
}

std::string user_name() {
  const passwd* const user = ::getpwuid(::getuid());
  return user != nullptr ? user->pw_name : fmt::format("uid {}", ::getuid());
}

}  // namespace opgrade::course
