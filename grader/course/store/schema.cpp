#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/base/core/error.hpp"
#include "grader/course/folder/time_zone.hpp"
#include "grader/course/store/sql.hpp"

namespace opgrade::course {
namespace {

// The schema of opgrade 0.1.0. Earlier schemas were in no release.
constexpr const char* kFirst = R"(
CREATE TABLE submission (
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  owner TEXT NOT NULL,            -- a login, or 'team ' and its name
  sha256 TEXT NOT NULL,           -- of the file
  file TEXT NOT NULL UNIQUE,      -- below the course folder
  handed_in INTEGER NOT NULL,     -- seconds since 1970, UTC
  source TEXT NOT NULL,
  added INTEGER NOT NULL,
  added_by TEXT NOT NULL,
  UNIQUE (assignment, owner, sha256, handed_in)
) STRICT;
CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  submission INTEGER NOT NULL REFERENCES submission,
  config_sha256 TEXT NOT NULL,
  version TEXT NOT NULL,          -- of opgrade
  number INTEGER NOT NULL,        -- from 1
  machine TEXT NOT NULL,
  tier TEXT NOT NULL,             -- of the sandbox
  device TEXT NOT NULL,
  started TEXT NOT NULL,          -- ISO 8601, UTC
  outcome TEXT NOT NULL,
  points REAL NOT NULL,
  max_points REAL NOT NULL,
  open_points REAL NOT NULL,
  result TEXT NOT NULL UNIQUE,    -- report.json below the course folder
  result_sha256 TEXT NOT NULL,
  UNIQUE (submission, config_sha256, version, number)
) STRICT;
CREATE TABLE sample (
  attempt INTEGER NOT NULL REFERENCES attempt,
  stage TEXT NOT NULL,
  case_id TEXT NOT NULL,
  layer TEXT NOT NULL,
  number INTEGER NOT NULL,        -- of the timed call, from 1
  op_time_ms REAL NOT NULL
) STRICT;
CREATE INDEX sample_of_attempt ON sample (attempt);
CREATE TABLE change (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,            -- seconds since 1970, UTC
  who TEXT NOT NULL,
  student TEXT NOT NULL,
  assignment TEXT NOT NULL,
  kind TEXT NOT NULL,
  item TEXT NOT NULL,
  points REAL,
  reason TEXT NOT NULL
) STRICT;
CREATE TABLE rejudge (
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  config TEXT NOT NULL,           -- as staff named it
  config_sha256 TEXT NOT NULL,
  repeat INTEGER NOT NULL,        -- gradings of each submission
  filter TEXT NOT NULL,           -- in words
  at INTEGER NOT NULL,            -- seconds since 1970, UTC
  who TEXT NOT NULL,
  reason TEXT NOT NULL,
  follows INTEGER NOT NULL DEFAULT 0  -- the last attempt that it takes the place of
) STRICT;
CREATE TABLE rejudge_job (        -- keys of attempts that belong to a rejudge, before they are made
  rejudge INTEGER NOT NULL REFERENCES rejudge,
  submission INTEGER NOT NULL REFERENCES submission,
  config_sha256 TEXT NOT NULL,
  version TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (submission, config_sha256, version, number)
) STRICT;
CREATE TABLE rejudge_decision (
  rejudge INTEGER PRIMARY KEY REFERENCES rejudge,
  applied INTEGER NOT NULL,       -- 0: cancelled
  at INTEGER NOT NULL,
  who TEXT NOT NULL
) STRICT;
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL
) STRICT;
)";

// A hand-in in which no stage finds its files counts only if no other one can be graded.
constexpr const char* kNotGradable = R"(
ALTER TABLE submission ADD COLUMN not_gradable TEXT NOT NULL DEFAULT '';  -- the reason
)";

// Points that staff set refer to a maximum. For an older row it is known if all gradings of the
// assignment have the same maximum.
constexpr const char* kSetOfMaximum = R"(
ALTER TABLE change ADD COLUMN maximum REAL;
UPDATE change SET maximum = (
  SELECT CASE WHEN MIN(a.max_points) = MAX(a.max_points) THEN MIN(a.max_points) END
  FROM attempt a JOIN submission s ON s.id = a.submission
  WHERE s.assignment = change.assignment AND a.outcome <> 'grader_fault')
WHERE points IS NOT NULL;
)";

// A rejudge for new rules runs only the cases that these change.
constexpr const char* kChangedCases = R"(
ALTER TABLE rejudge ADD COLUMN changed_cases INTEGER NOT NULL DEFAULT 0;  -- 1: takes the others
)";

// A change of points has a text for the student.
constexpr const char* kTold = R"(
ALTER TABLE change ADD COLUMN told TEXT NOT NULL DEFAULT '';
)";

// A removed student leaves a pseudonym and the time of a submission that ranked.
constexpr const char* kRemoved = R"(
CREATE TABLE removed_student (
  name TEXT PRIMARY KEY
) STRICT;
CREATE TABLE removed_time (
  name TEXT NOT NULL REFERENCES removed_student,
  assignment TEXT NOT NULL,
  time_ms REAL NOT NULL
) STRICT;
)";

// The Op Times of a grading are in its report.
constexpr const char* kNoSamples = "DROP TABLE sample";

// Other modules number the versions of their tables themselves. Until this step one number counted
// all tables; it stays in the row ''. The new columns hold what the course asks about a submission
// in the queue; the queue's module writes them.
constexpr const char* kModules = R"(
CREATE TABLE module (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT;
INSERT INTO module SELECT '', user_version FROM pragma_user_version WHERE user_version > 0;
ALTER TABLE submission ADD COLUMN limited INTEGER NOT NULL DEFAULT 0;     -- within the daily limit
ALTER TABLE submission ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;   -- before it was graded
ALTER TABLE submission ADD COLUMN unfinished INTEGER NOT NULL DEFAULT 0;  -- on its way to a grade
CREATE INDEX submission_unfinished ON submission (unfinished) WHERE unfinished;
)";

// Staff may choose the submission that counts.
constexpr const char* kChosen = R"(
ALTER TABLE change ADD COLUMN submission INTEGER;  -- of the kind counts; none: by the rule
-- 1: who gave the reason knew that students read it. That of an earlier rejudge was for staff.
ALTER TABLE rejudge ADD COLUMN told INTEGER NOT NULL DEFAULT 0;
)";

// Whether a rejudge runs the cases at the deadline is decided once for each submission. Rules may
// have other points for late work.
constexpr const char* kAtDeadline = R"(
ALTER TABLE rejudge_job ADD COLUMN at_deadline INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempt ADD COLUMN late_points REAL;  -- of a late submission, if those are others
)";

// Documents are marked by rubrics.
constexpr const char* kMarks = R"(
CREATE TABLE mark (               -- a grader's decision; the last of a kind and name holds
  id INTEGER PRIMARY KEY,
  submission INTEGER NOT NULL REFERENCES submission,  -- the document
  at INTEGER NOT NULL,            -- seconds since 1970, UTC
  who TEXT NOT NULL,
  kind TEXT NOT NULL,             -- item, free, comment, done
  name TEXT NOT NULL,             -- of the item or group; empty: the whole document
  is_on INTEGER NOT NULL,         -- 0: takes it back
  points REAL NOT NULL,           -- of the kind free
  text TEXT NOT NULL
) STRICT;
CREATE INDEX mark_of_submission ON mark (submission, id);
CREATE TABLE rubric (             -- by which marks count; the last of an assignment holds
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE TABLE marks_release (      -- whether students see marks; the last of an assignment holds
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  released INTEGER NOT NULL
) STRICT;
)";

constexpr std::array kMigrations{
    kFirst, "", "",       "",         kNotGradable, kSetOfMaximum, kChangedCases, "",
    kTold,  "", kRemoved, kNoSamples, kModules,     kChosen,       kAtDeadline,   kMarks};

void require_known(const std::filesystem::path& file, std::size_t found, std::size_t known,
                   const std::string& of = "") {
  if (found <= known) return;
  throw UsageError(
      fmt::format("{} has schema {}{}, and this opgrade knows {}", file.string(), found, of, known),
      "use the newer opgrade that wrote it");
}

std::size_t version_of(SQLite::Database& database, const std::filesystem::path& file,
                       const ModuleTables& other) {
  const auto version = sql::rows<std::int64_t>(
      database, "SELECT version FROM module WHERE name IN (?, '') ORDER BY name DESC",
      std::string(other.name));
  const std::size_t found = version.empty() ? 0 : static_cast<std::size_t>(version.front());
  require_known(file, found, other.steps.size(), fmt::format(" of its {}", other.name));
  return found;
}

}  // namespace

std::span<const char* const> migrations() { return kMigrations; }

void migrate(SQLite::Database& database, const std::filesystem::path& file,
             std::span<const char* const> steps, std::span<const ModuleTables> modules) {
  const auto version = [&] {
    return static_cast<std::size_t>(
        std::max(database.execAndGet("PRAGMA user_version").getInt(), 0));
  };
  const std::size_t found = version();
  require_known(file, found, steps.size());
  bool is_current = found == steps.size(), only_adds = is_current;
  for (const ModuleTables& other : modules) {
    if (found < steps.size()) break;
    const std::size_t own = version_of(database, file, other);
    is_current = is_current && own == other.steps.size();
    only_adds = only_adds && (own == 0 || own == other.steps.size());
  }
  if (is_current) return;
  if (found > 0 && !only_adds) {
    std::string time = iso_text(this_second());
    std::erase(time, ':');
    const std::string backup = fmt::format("{}.v{}.{}.bak", file.string(), found, time);
    database.backup(backup.c_str(), SQLite::Database::Save);
  }
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Another process may have migrated the file meanwhile.
  for (std::size_t step = version(); step < steps.size(); ++step) database.exec(steps[step]);
  database.exec(fmt::format("PRAGMA user_version = {}", steps.size()));
  for (const ModuleTables& other : modules) {
    for (std::size_t step = version_of(database, file, other); step < other.steps.size(); ++step)
      database.exec(other.steps[step]);
    sql::execute(database, "INSERT OR REPLACE INTO module VALUES (?, ?)", std::string(other.name),
                 static_cast<std::int64_t>(other.steps.size()));
  }
  transaction.commit();
}

}  // namespace opgrade::course
