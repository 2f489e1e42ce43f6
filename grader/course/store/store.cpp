#include "grader/course/store/store.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "grader/base/core/error.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/store/sql.hpp"

namespace opgrade::course {
constexpr std::array<std::string_view, 3> kRejudgeStates{"open", "applied", "cancelled"};
constexpr std::array<std::string_view, 5> kKinds{"points", "item", "excused", "none", "counts"};

// Found by argument: sql::rows() calls them.
static void from_column(const SQLite::Column& column, Rejudge::State& out) {
  out = sql::value_named<Rejudge::State>(kRejudgeStates, column.getString())
            .value_or(Rejudge::State::open);
}
static void from_column(const SQLite::Column& column, Change::Kind& out) {
  out = sql::value_named<Change::Kind>(kKinds, column.getString()).value_or(Change::Kind::none);
}

namespace {

namespace fs = std::filesystem;
using SQLite::Database;

constexpr int kPatienceMs = 60'000;        // how long to wait for another process that writes
constexpr int kReadersPatienceMs = 5'000;  // while another process restores a log that a kill left
constexpr std::size_t kKeptReaders = 8;

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

/// An attempt with the values that decide its place.
struct PlacedAttempt {
  Attempt attempt;
  std::int64_t stands_at = 0;  ///< the last grading before its rejudge; else its own id
  bool is_undecided = false;   ///< its rejudge is undecided
  std::int64_t decided_at = 0;

  auto place() const {
    return std::tuple(attempt.submission, stands_at, attempt.rejudge != 0, is_undecided, decided_at,
                      attempt.rejudge, attempt.id);
  }
};
/// The value to bind to a statement; nullopt for an empty text.
std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// Gives new files, also those that SQLite creates, rights for their owner only, because grades are
/// for staff.
struct OwnerOnly {
  const mode_t before = ::umask(0077);
  ~OwnerOnly() { ::umask(before); }
};

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
  State(fs::path path, std::vector<ModuleTables> with, int flags)
      : file(std::move(path)),
        modules(std::move(with)),
        database(file.string(), flags),
        identity(identity_of(file)) {}

  void alone(const std::function<void(Database&)>& on_database) {
    const std::scoped_lock lock(guard);
    database_work(file, [&] { on_database(database); });
  }

  /// Uses the connection that makes no changes itself, and therefore notices those of all others.
  /// It does not wait for locks.
  template <class F>
  auto watching(F&& work) {
    const std::scoped_lock lock(watcher_guard);
    return work(*watcher);
  }

  /// At its first query, a connection opens the log's files by the database's path. That path
  /// belongs to another course once the folder was replaced, so the first query is made at once,
  /// while the path is right.
  void open_watcher() {
    watcher.emplace(file.string(), SQLite::OPEN_READWRITE, kReadersPatienceMs);
    watcher->execAndGet("PRAGMA data_version");
    watcher->setBusyTimeout(0);
  }

  /// nullptr if the path now names another file, or none.
  std::unique_ptr<Database> new_reader() const {
    if (identity_of(file) != identity) return nullptr;
    try {
      auto reader = std::make_unique<Database>(
          file.string(), SQLite::OPEN_READONLY | SQLite::OPEN_NOMUTEX, kReadersPatienceMs);
      reader->execAndGet("PRAGMA data_version");
      return identity_of(file) == identity ? std::move(reader) : nullptr;
    } catch (const SQLite::Exception&) {
      if (identity_of(file) == identity) throw;
      return nullptr;
    }
  }

  const fs::path file;
  const std::vector<ModuleTables> modules;
  std::mutex guard;
  Database database;
  const std::optional<FileIdentity> identity;
  std::mutex readers_guard;
  std::vector<std::unique_ptr<Database>> readers;  // not in use
  std::mutex watcher_guard;
  std::optional<Database> watcher;
  std::mutex grades_guard;
  std::optional<std::pair<std::int64_t, std::string>> grades;  // grades_version() by version()

  /// Cached answers, by assignment, that need every row. A page of staff asks for those of each
  /// assignment.
  struct Known {
    std::string version;  // grades_version()
    std::map<std::string, std::set<std::string>> owners;
    std::map<std::string, std::vector<Outcome>> outcomes;
  };
  std::mutex known_guard;
  Known known;

  template <class T>
  T remembered(const std::string& version, std::map<std::string, T> Known::*kind,
               const std::string& assignment, const std::function<T()>& read) {
    {
      const std::scoped_lock lock(known_guard);
      if (known.version != version) known = {.version = version};
      if (const auto found = (known.*kind).find(assignment); found != (known.*kind).end())
        return found->second;
    }
    T made = read();
    const std::scoped_lock lock(known_guard);
    if (known.version == version) (known.*kind)[assignment] = made;
    return made;
  }
};

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open_file(const fs::path& folder, std::vector<ModuleTables> modules, bool create,
                       const FileSystemType& type) {
  require_local_disk(folder, type);
  const fs::path file = folder / kDatabase;
  return database_work(file, [&] {
    const OwnerOnly rights;
    auto state = std::make_unique<State>(
        file, std::move(modules), SQLite::OPEN_READWRITE | (create ? SQLite::OPEN_CREATE : 0));
    auto& database = state->database;
    database.setBusyTimeout(kPatienceMs);
    database.exec("PRAGMA journal_mode = WAL");
    // A recorded attempt survives a power cut.
    database.exec("PRAGMA synchronous = FULL");
    database.exec("PRAGMA foreign_keys = ON");
    migrate(database, file, migrations(), state->modules);
    state->open_watcher();
    Store store(std::move(state));
    store.require_place();
    return store;
  });
}

Store Store::create(const fs::path& folder, std::vector<ModuleTables> modules,
                    const FileSystemType& type) {
  return open_file(folder, std::move(modules), true, type);
}

Store Store::open(const fs::path& folder, std::vector<ModuleTables> modules,
                  const FileSystemType& type) {
  std::error_code ignored;
  if (!fs::exists(folder / kDatabase, ignored)) {
    throw UsageError(fmt::format("{} has no {}", folder.string(), kDatabase),
                     "opgrade course init DIR makes a course folder; was the file moved away?");
  }
  return open_file(folder, std::move(modules), false, type);
}

std::optional<std::string> network_file_system(std::int64_t statfs_type) {
  // The numbers are from statfs(2) and from each file system's own headers.
  static constexpr std::array<std::pair<std::uint32_t, const char*>, 15> kNetwork{{
      {0x6969, "NFS"},
      {0x517B, "SMB"},
      {0xFF534D42, "CIFS"},
      {0xFE534D42, "SMB2"},
      {0x5346414F, "AFS"},
      {0x6B414653, "kAFS"},
      {0x73757245, "Coda"},
      {0x564C, "NCP"},
      {0x00C36400, "Ceph"},
      {0x0BD00BD0, "Lustre"},
      {0x47504653, "GPFS"},
      {0x19830326, "BeeGFS"},
      {0x7461636F, "OCFS2"},
      {0x01021997, "9P"},
      {0x65735546, "FUSE"},  // sshfs, GlusterFS and others, which share this number
  }};
  for (const auto& [type, name] : kNetwork)
    if (type == static_cast<std::uint32_t>(statfs_type)) return name;
  return std::nullopt;
}

std::int64_t file_system_type(const std::filesystem::path& folder) {
  struct statfs info {};
  if (::statfs(folder.c_str(), &info) != 0) {
    throw Error(fmt::format("cannot determine the file system of {}: {}", folder.string(),
                            std::strerror(errno)),
                "check that the folder exists");
  }
  return info.f_type;
}

void require_local_disk(const std::filesystem::path& folder, const FileSystemType& type) {
  const auto network = network_file_system(type(folder));
  if (!network) return;
  throw UsageError(
      fmt::format("{} is on a network file system ({}), where the course's database can be damaged",
                  folder.string(), *network),
      "move the course folder to a local disk; submissions may be added from anywhere");
}

bool sql::add(Database& database, Submission& s) {
  const bool is_new =
      execute(database,
              "INSERT INTO submission (assignment, owner, sha256, file, handed_in, source, added, "
              "added_by, not_gradable) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
              "ON CONFLICT (assignment, owner, sha256, handed_in) DO NOTHING",
              s.assignment, s.owner, s.sha256, s.file, s.handed_in, s.source, s.added, s.added_by,
              s.not_gradable) > 0;
  s.id = rows<std::int64_t>(database,
                            "SELECT id FROM submission WHERE assignment = ? AND owner = ? AND "
                            "sha256 = ? AND handed_in = ?",
                            s.assignment, s.owner, s.sha256, s.handed_in)
             .front();
  return is_new;
}

bool Store::add(Submission& s) {
  return sql::change(*this, [&](Database& database) { return sql::add(database, s); });
}

void Store::set_not_gradable(std::int64_t submission, const std::string& why) {
  sql::execute(*this, "UPDATE submission SET not_gradable = ? WHERE id = ?", why, submission);
}

namespace {

/// `source` is a database or a store.
std::vector<Submission> select_submissions(auto& source, const std::string& where,
                                           const auto&... values) {
  auto all =
      sql::rows<Submission>(source,
                            "SELECT id, assignment, owner, sha256, file, handed_in, source, added, "
                            "added_by, limited, withdrawn, not_gradable FROM submission " +
                                where,
                            values...);
  // Sorted here, because SQLite would copy each whole row to sort.
  std::ranges::sort(all, {}, [](const Submission& s) { return std::pair(s.handed_in, s.id); });
  return all;
}

/// The attempts of a rejudge come right after the last grading before the rejudge. Of several
/// rejudges after the same grading, the one that was decided last is last. The places are computed
/// here, because SQLite would sort the whole rows.
std::vector<Attempt> select_attempts(auto& source, const std::string& where,
                                     const auto&... values) {
  auto placed = sql::rows<PlacedAttempt>(
      source,
      "SELECT a.id, submission, a.config_sha256, version, number, machine, tier, device, "
      "started, outcome, points, max_points, open_points, late_points, result, result_sha256, "
      "IFNULL(j.rejudge, 0), j.rejudge IS NULL OR IFNULL(d.applied, 0), 0, "
      "IIF(j.rejudge IS NULL, a.id, "
      "(SELECT IFNULL(MAX(o.id), 0) FROM attempt o LEFT JOIN rejudge_job oj USING "
      "(submission, config_sha256, version, number) WHERE o.submission = a.submission "
      "AND o.id <= r.follows AND oj.rejudge IS NULL)), "
      "d.at IS NULL, IFNULL(d.at, 0) "
      "FROM attempt a LEFT JOIN rejudge_job j USING "
      "(submission, config_sha256, version, number) "
      "LEFT JOIN rejudge r ON r.id = j.rejudge "
      "LEFT JOIN rejudge_decision d ON d.rejudge = j.rejudge " +
          where + "ORDER BY a.id",
      values...);
  std::vector<PlacedAttempt*> in_order;
  for (PlacedAttempt& a : placed) in_order.push_back(&a);
  std::ranges::sort(in_order, {}, [](const PlacedAttempt* a) { return a->place(); });
  const Attempt* before = nullptr;
  for (PlacedAttempt* const a : in_order) {
    Attempt& attempt = a->attempt;
    attempt.place =
        before != nullptr && before->submission == attempt.submission ? before->place + 1 : 1;
    before = &attempt;
  }
  std::vector<Attempt> attempts;
  attempts.reserve(placed.size());
  for (PlacedAttempt& a : placed) attempts.push_back(std::move(a.attempt));
  return attempts;
}

}  // namespace

std::vector<Submission> Store::submissions(const std::string& assignment,
                                           const std::string& owner) const {
  // SQLite uses an index only if the statement has the plain condition, without an "or all".
  std::string where;
  if (!assignment.empty()) where = "WHERE assignment = ?1 ";
  if (!owner.empty()) where += where.empty() ? "WHERE owner = ?2 " : "AND owner = ?2 ";
  return select_submissions(*this, where, given(assignment), given(owner));
}

std::map<std::int64_t, Submission> Store::submissions_by_id(const std::string& assignment) const {
  std::map<std::int64_t, Submission> all;
  for (auto& s : submissions(assignment)) all.emplace(s.id, std::move(s));
  return all;
}

bool Store::record(Attempt& a) {
  return sql::change(*this, [&](Database& database) {
    const int added = sql::execute(
        database,
        "INSERT INTO attempt (submission, config_sha256, version, number, machine, tier, device, "
        "started, outcome, points, max_points, open_points, late_points, result, result_sha256) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (submission, config_sha256, version, number) DO NOTHING",
        a.submission, a.config_sha256, a.version, a.number, a.machine, a.tier, a.device, a.started,
        words(a.outcome).id, a.points, a.max_points, a.open_points, a.late_points, a.result,
        a.result_sha256);
    if (added > 0) a.id = database.getLastInsertRowid();
    return added > 0;
  });
}

std::set<std::int64_t> Store::unfinished() const {
  const auto all = sql::rows<std::int64_t>(*this, "SELECT id FROM submission WHERE unfinished");
  return {all.begin(), all.end()};
}

std::vector<Attempt> Store::attempts(std::optional<std::int64_t> submission) const {
  auto all = select_attempts(*this, submission ? "WHERE submission = ?1 " : "", submission);
  if (submission) std::ranges::sort(all, {}, &Attempt::place);
  return all;
}

std::map<std::int64_t, std::vector<Attempt>> Store::attempts_of(
    const std::string& assignment) const {
  std::map<std::int64_t, std::vector<Attempt>> all;
  for (Attempt& attempt : select_attempts(
           *this, "WHERE submission IN (SELECT id FROM submission WHERE assignment = ?1) ",
           assignment))
    all[attempt.submission].push_back(std::move(attempt));
  for (auto& [submission, attempts] : all) std::ranges::sort(attempts, {}, &Attempt::place);
  return all;
}

std::optional<Attempt> Store::attempt_of_copy(const Submission& submission,
                                              const RejudgeJob& attempt) const {
  const auto alike = select_attempts(
      *this,
      "WHERE submission IN (SELECT id FROM submission WHERE assignment = ?1 AND sha256 = ?2) "
      "AND a.config_sha256 = ?3 AND a.version = ?4 AND outcome <> 'grader_fault' "
      "AND IFNULL(j.rejudge, 0) = IFNULL((SELECT rejudge FROM rejudge_job WHERE submission = ?5 "
      "AND config_sha256 = ?3 AND version = ?4 AND number = ?6), 0) "
      // A copy that was graded before the deadline lacks the cases of one that was graded after it.
      "AND IFNULL(j.at_deadline, 0) = IFNULL((SELECT at_deadline FROM rejudge_job WHERE submission "
      "= ?5 AND config_sha256 = ?3 AND version = ?4 AND number = ?6), 0) "
      "AND (submission = ?5 OR j.rejudge IS NOT NULL OR NOT EXISTS (SELECT 1 FROM rejudge_job o "
      "LEFT JOIN rejudge_decision e ON e.rejudge = o.rejudge "
      "WHERE o.submission = a.submission AND IFNULL(e.applied, 1))) ",
      submission.assignment, submission.sha256, attempt.config_sha256, attempt.version,
      submission.id, attempt.number);
  const auto made = std::ranges::count(alike, submission.id, &Attempt::submission);
  std::map<std::int64_t, std::ptrdiff_t> before;
  for (const Attempt& a : alike)
    if (before[a.submission]++ == made && a.submission != submission.id) return a;
  return std::nullopt;
}

std::vector<std::pair<Attempt, Submission>> Store::last_attempts(int most) const {
  std::vector<std::pair<Attempt, Submission>> all;
  read([&](Database& database) {
    std::map<std::int64_t, Submission> submissions;
    const std::string newest = "(SELECT IFNULL(MAX(id), 0) - ?1 FROM attempt) ";
    for (auto& s : select_submissions(
             database,
             "WHERE id IN (SELECT submission FROM attempt WHERE attempt.id > " + newest + ") ",
             most))
      submissions.emplace(s.id, std::move(s));
    for (auto& a : select_attempts(database, "WHERE a.id > " + newest, most))
      all.emplace_back(std::move(a), submissions.at(a.submission));
  });
  std::ranges::reverse(all);
  return all;
}

std::set<std::string> Store::owners(const std::string& assignment) const {
  return state_->remembered<std::set<std::string>>(
      grades_version(), &State::Known::owners, assignment, [&] {
        const auto all = sql::rows<std::string>(
            *this, "SELECT DISTINCT owner FROM submission WHERE assignment = ?", assignment);
        return std::set<std::string>(all.begin(), all.end());
      });
}

std::vector<Outcome> Store::last_outcomes(const std::string& assignment) const {
  const auto read = [&] {
    return sql::rows<Outcome>(
        *this,
        "SELECT outcome FROM (SELECT outcome, MAX(a.id) FROM attempt a "
        "JOIN submission s ON s.id = a.submission "
        "LEFT JOIN rejudge_job j USING (submission, config_sha256, version, number) "
        "LEFT JOIN rejudge_decision d ON d.rejudge = j.rejudge "
        "WHERE s.assignment = ? AND outcome <> 'grader_fault' "
        "AND (j.rejudge IS NULL OR d.applied) GROUP BY submission)",
        assignment);
  };
  return state_->remembered<std::vector<Outcome>>(grades_version(), &State::Known::outcomes,
                                                  assignment, read);
}

int Store::next_number(std::int64_t submission, const std::string& config_sha256,
                       const std::string& version) const {
  return sql::rows<int>(*this,
                        "SELECT IFNULL(MAX(number), 0) + 1 FROM (SELECT * FROM "
                        "(SELECT submission, config_sha256, version, number FROM attempt "
                        "UNION ALL "
                        "SELECT submission, config_sha256, version, number FROM rejudge_job) "
                        "WHERE submission = ? AND config_sha256 = ? AND version = ?)",
                        submission, config_sha256, version)
      .front();
}

namespace {

void insert_jobs(Database& database, std::int64_t rejudge, const std::vector<RejudgeJob>& jobs) {
  for (const RejudgeJob& job : jobs)
    sql::execute(database, "INSERT INTO rejudge_job VALUES (?, ?, ?, ?, ?, ?)", rejudge,
                 job.submission, job.config_sha256, job.version, job.number, job.at_deadline);
}

}  // namespace

void Store::begin(Rejudge& r, const std::vector<RejudgeJob>& jobs) {
  r.id = sql::change(*this, [&](Database& database) {
    sql::execute(database,
                 "INSERT INTO rejudge (assignment, config, config_sha256, repeat, filter, at, "
                 "who, reason, changed_cases, told, follows) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                 "(SELECT IFNULL(MAX(id), 0) FROM attempt))",
                 r.assignment, r.config, r.config_sha256, r.repeat, r.filter, r.at, r.who, r.reason,
                 r.changed_cases, r.told);
    const std::int64_t id = database.getLastInsertRowid();
    insert_jobs(database, id, jobs);
    return id;
  });
}

void Store::add_jobs(std::int64_t rejudge, const std::vector<RejudgeJob>& jobs) {
  work([&](Database& database) { insert_jobs(database, rejudge, jobs); });
}

std::vector<Rejudge> Store::rejudges() const {
  return sql::rows<Rejudge>(
      *this,
      "SELECT r.id, assignment, config, config_sha256, repeat, filter, r.at, r.who, "
      "reason, changed_cases, CASE d.applied WHEN 1 THEN 'applied' WHEN 0 THEN "
      "'cancelled' ELSE 'open' END, IFNULL(d.who, ''), IFNULL(d.at, 0), told FROM rejudge r "
      "LEFT JOIN rejudge_decision d ON d.rejudge = r.id ORDER BY r.id");
}

std::vector<RejudgeJob> Store::rejudge_jobs(std::int64_t rejudge) const {
  return sql::rows<RejudgeJob>(*this,
                               "SELECT submission, config_sha256, version, number, at_deadline "
                               "FROM rejudge_job WHERE rejudge = ? ORDER BY number, submission",
                               rejudge);
}

std::map<std::int64_t, int> Store::good_gradings(std::int64_t rejudge) const {
  const auto rows = sql::rows<std::pair<std::int64_t, int>>(
      *this,
      "SELECT j.submission, COUNT(a.id) FROM rejudge_job j LEFT JOIN attempt a ON "
      "a.submission = j.submission AND a.config_sha256 = j.config_sha256 AND a.version = j.version "
      "AND a.number = j.number AND a.outcome <> 'grader_fault' "
      "WHERE j.rejudge = ? GROUP BY j.submission",
      rejudge);
  return {rows.begin(), rows.end()};
}

bool Store::decide(std::int64_t rejudge, bool apply, Moment at, const std::string& who) {
  return sql::execute(*this,
                      "INSERT INTO rejudge_decision VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                      rejudge, apply, at, who) == 1;
}

void Store::change(const Change& c, const std::string& address) {
  work([&](Database& database) {
    sql::execute(database,
                 "INSERT INTO change (at, who, student, assignment, kind, item, reason, points, "
                 "maximum, told, submission) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 c.at, c.who, c.student, c.assignment, name_of(c.kind), c.item, c.reason, c.points,
                 c.maximum, c.told, c.submission);
    sql::audit(database, c.at, c.who, address,
               c.kind == Change::Kind::counts ? "choose submission" : "set points", text_of(c));
  });
}

std::vector<Change> Store::changes(const std::string& student) const {
  return sql::rows<Change>(
      *this,
      "SELECT id, at, who, student, assignment, kind, item, points, maximum, reason, "
      "told, submission FROM change WHERE ?1 = '' OR student = ?1 ORDER BY id",
      student);
}

Choices Store::choices() const {
  std::map<Choices::key_type, std::vector<Change>> all;
  for (Change& change : changes())
    all[{change.student, change.assignment}].push_back(std::move(change));
  Choices choices;
  for (const auto& [of, changes_of] : all)
    if (const Change* const chosen = choice_of_staff(changes_of))
      choices[of] = chosen->submission.value();
  return choices;
}

std::vector<Store::RemovedTime> Store::removed_times() const {
  return sql::rows<RemovedTime>(
      *this, "SELECT name, assignment, time_ms FROM removed_time ORDER BY rowid");
}

const std::vector<ModuleTables>& Store::modules() const { return state_->modules; }

void Store::copy_to(const fs::path& to) const {
  const OwnerOnly rights;
  state_->alone(
      [&](Database& database) { database.backup((to / kDatabase).c_str(), Database::Save); });
}

void Store::erase(const std::function<void(Database&)>& on_database) {
  state_->alone([&](Database& database) { database.exec("PRAGMA secure_delete = ON"); });
  work(on_database);
  state_->alone([&](Database& database) { database.exec("VACUUM"); });
}

void Store::empty_log() {
  state_->alone([&](Database& database) {
    // The log still has the removed rows.
    SQLite::Statement checkpoint(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    if (!checkpoint.executeStep() || checkpoint.getColumn(0).getInt() != 0)
      throw Error(fmt::format("{}-wal still holds what was removed: another program reads it",
                              state_->file.string()),
                  "stop opgrade serve once; its end empties that file");
  });
}

void Store::work(const std::function<void(Database&)>& on_database) const {
  state_->alone([&](Database& database) {
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    on_database(database);
    transaction.commit();
  });
}

void Store::read(const std::function<void(Database&)>& on_database) const {
  database_work(state_->file, [&] {
    // Each reader has a connection of its own, which is kept for the next reader unless it failed.
    std::unique_ptr<Database> own;
    {
      const std::scoped_lock lock(state_->readers_guard);
      if (!state_->readers.empty()) {
        own = std::move(state_->readers.back());
        state_->readers.pop_back();
      }
    }
    if (!own) own = state_->new_reader();
    if (!own) return state_->alone(on_database);
    on_database(*own);
    const std::scoped_lock lock(state_->readers_guard);
    if (state_->readers.size() < kKeptReaders) state_->readers.push_back(std::move(own));
  });
}

std::string Store::grades_version() const {
  const std::int64_t seen = version();  // read before the rows that it describes
  {
    const std::scoped_lock lock(state_->grades_guard);
    if (state_->grades && state_->grades->first == seen) return state_->grades->second;
  }
  // The query reads every submission, so its result is kept until the database changes.
  std::string text =
      sql::rows<std::string>(
          *this,
          "SELECT (SELECT IFNULL(MAX(id), 0) || ' ' || COUNT(*) || ' ' || "
          "IFNULL(SUM(not_gradable <> ''), 0) || ' ' || IFNULL(SUM(unfinished), 0) || ' ' || "
          "IFNULL(SUM(withdrawn), 0) FROM submission) || ' ' || (SELECT "
          "IFNULL(MAX(id), 0) FROM attempt) || ' ' || "
          "(SELECT IFNULL(MAX(id), 0) FROM change) || ' ' || "
          "(SELECT COUNT(*) FROM rejudge_job) || ' ' || "
          "(SELECT COUNT(*) FROM rejudge_decision) || ' ' || "
          "(SELECT IFNULL(MAX(id), 0) || ' ' || COUNT(*) FROM mark) || ' ' || "
          "(SELECT COUNT(*) FROM rubric) || ' ' || (SELECT COUNT(*) FROM marks_release)")
          .front();
  const std::scoped_lock lock(state_->grades_guard);
  state_->grades.emplace(seen, text);
  return text;
}

std::map<std::string, std::string> Store::grades_versions() const {
  std::map<std::string, std::string> versions;
  for (const auto& [assignment, text] : sql::rows<std::pair<std::string, std::string>>(
           *this,
           "SELECT assignment, 's ' || MAX(id) || ' ' || COUNT(*) || ' ' || "
           "SUM(not_gradable <> '') || ' ' || SUM(unfinished) || ' ' || SUM(withdrawn) "
           "FROM submission GROUP BY assignment "
           "UNION ALL SELECT s.assignment, 'a ' || MAX(a.id) || ' ' || COUNT(*) "
           "FROM attempt a JOIN submission s ON s.id = a.submission GROUP BY s.assignment "
           "UNION ALL SELECT assignment, 'c ' || MAX(id) || ' ' || COUNT(*) "
           "FROM change GROUP BY assignment "
           "UNION ALL SELECT r.assignment, 'j ' || COUNT(*) "
           "FROM rejudge_job j JOIN rejudge r ON r.id = j.rejudge GROUP BY r.assignment "
           "UNION ALL SELECT r.assignment, 'd ' || COUNT(*) "
           "FROM rejudge_decision d JOIN rejudge r ON r.id = d.rejudge GROUP BY r.assignment "
           "UNION ALL SELECT s.assignment, 'm ' || MAX(m.id) || ' ' || COUNT(*) "
           "FROM mark m JOIN submission s ON s.id = m.submission GROUP BY s.assignment "
           "UNION ALL SELECT assignment, 'u ' || COUNT(*) FROM rubric GROUP BY assignment "
           "UNION ALL SELECT assignment, 'r ' || COUNT(*) FROM marks_release GROUP BY assignment"))
    // A document belongs to the grade of its assignment.
    versions[assignment.starts_with(kDocuments) ? assignment.substr(kDocuments.size())
                                                : assignment] += text + ";";
  return versions;
}

std::int64_t Store::version() const {
  return database_work(state_->file, [&] {
    return state_->watching(
        [](Database& database) { return database.execAndGet("PRAGMA data_version").getInt64(); });
  });
}

std::optional<std::string> Store::refuses_changes() const {
  try {
    state_->watching([](Database& database) {
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
  auto found = sql::rows<std::string>(*this, "PRAGMA integrity_check");
  std::erase(found, "ok");
  for (const auto& [table, parent] : sql::rows<std::pair<std::string, std::string>>(
           *this, "SELECT \"table\", parent FROM pragma_foreign_key_check"))
    found.push_back(
        fmt::format("a row of the table {} names a {} that is not there", table, parent));
  return found;
}

std::string_view name_of(Change::Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

const Change* choice_of_staff(std::span<const Change> changes) {
  const Change* chosen = nullptr;
  for (const Change& change : changes)
    if (change.kind == Change::Kind::counts) chosen = change.submission ? &change : nullptr;
  return chosen;
}

std::string text_of(const Change& change) {
  if (change.kind == Change::Kind::counts)
    return fmt::format(
        "{} {} {}: {}", change.student, change.assignment,
        change.submission ? fmt::format("submission {}", *change.submission) : "by the rule",
        change.reason);
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
