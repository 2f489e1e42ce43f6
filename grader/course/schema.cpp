#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/core/error.hpp"
#include "grader/course/sql.hpp"
#include "grader/course/time_zone.hpp"

namespace opgrade::course {
namespace {

// That of opgrade 0.1.0; earlier ones were in no release. Secrets of the service are stored as
// SHA-256: they are 256 random bits, which a slow hash would not protect better.
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
CREATE TABLE token (
  id INTEGER PRIMARY KEY,
  person TEXT NOT NULL,           -- a login
  role TEXT NOT NULL,             -- student, staff
  sha256 TEXT NOT NULL UNIQUE,
  made INTEGER NOT NULL,          -- seconds since 1970, UTC
  revoked INTEGER                 -- since when it is refused
) STRICT;
CREATE TABLE session (
  sha256 TEXT PRIMARY KEY,        -- of the cookie
  token INTEGER REFERENCES token, -- that it began with; none: an authenticating proxy
  person TEXT NOT NULL,
  role TEXT NOT NULL,
  form_key TEXT NOT NULL,         -- in each form of the session
  expires INTEGER NOT NULL
) STRICT;
CREATE TABLE hand_in (
  submission INTEGER PRIMARY KEY REFERENCES submission,
  person TEXT NOT NULL,           -- who handed in
  key TEXT NOT NULL,              -- of one upload, however often it is sent
  state TEXT NOT NULL,            -- queued, running, done, cancelled, stuck
  staff INTEGER NOT NULL,         -- handed in by staff
  run INTEGER NOT NULL DEFAULT 0, -- how often a worker took it
  faults INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  worker TEXT NOT NULL DEFAULT '',
  queued INTEGER NOT NULL,
  started INTEGER,
  ended INTEGER,
  UNIQUE (person, key)
) STRICT;
CREATE INDEX hand_in_state ON hand_in (state);
CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  submission INTEGER NOT NULL REFERENCES hand_in,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL              -- the event as JSON; of earlier versions a sentence
) STRICT;
CREATE INDEX event_of_submission ON event (submission, id);
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  who TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL
) STRICT;
CREATE TABLE ranking_name (
  owner TEXT PRIMARY KEY,
  name TEXT NOT NULL              -- chosen by the owner
) STRICT;
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
)";

// A hand-in of which no stage finds its files never counts before one that can be graded.
constexpr const char* kNotGradable = R"(
ALTER TABLE submission ADD COLUMN not_gradable TEXT NOT NULL DEFAULT '';  -- the reason
)";

// Points that staff set are of a maximum. That of an older row is known where all gradings of the
// assignment have one.
constexpr const char* kSetOfMaximum = R"(
ALTER TABLE change ADD COLUMN maximum REAL;
UPDATE change SET maximum = (
  SELECT CASE WHEN MIN(a.max_points) = MAX(a.max_points) THEN MIN(a.max_points) END
  FROM attempt a JOIN submission s ON s.id = a.submission
  WHERE s.assignment = change.assignment AND a.outcome <> 'grader_fault')
WHERE points IS NOT NULL;
)";

// A rejudge for new rules runs only what they change.
constexpr const char* kChangedCases = R"(
ALTER TABLE rejudge ADD COLUMN changed_cases INTEGER NOT NULL DEFAULT 0;  -- 1: takes the others
)";

// The last gradings are found without reading all.
constexpr const char* kLastGradings = R"(
DROP INDEX hand_in_state;
CREATE INDEX hand_in_state ON hand_in (state, ended);
)";

// What students and staff write to each other about a submission, and what a change of points tells
// the student.
constexpr const char* kMessages = R"(
CREATE TABLE message (
  id INTEGER PRIMARY KEY,
  submission INTEGER NOT NULL REFERENCES submission,
  at INTEGER NOT NULL,            -- seconds since 1970, UTC
  who TEXT NOT NULL,              -- a login
  staff INTEGER NOT NULL,         -- 0: of the owner, who asks for another look
  text TEXT NOT NULL
) STRICT;
CREATE INDEX message_of_submission ON message (submission, id);
ALTER TABLE change ADD COLUMN told TEXT NOT NULL DEFAULT '';
)";

// Staff of one section of the roster. Roles are student, observer, grader and staff.
constexpr const char* kSections = R"(
ALTER TABLE token ADD COLUMN section TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN section TEXT NOT NULL DEFAULT '';
)";

// A removed student leaves a pseudonym and the time of a submission that ranked. And who is told by
// mail or webhook that a grading is done.
constexpr const char* kRemoved = R"(
CREATE TABLE removed_student (
  name TEXT PRIMARY KEY
) STRICT;
CREATE TABLE removed_time (
  name TEXT NOT NULL REFERENCES removed_student,
  assignment TEXT NOT NULL,
  time_ms REAL NOT NULL
) STRICT;
CREATE TABLE notice (
  person TEXT PRIMARY KEY         -- a login
) STRICT;
)";

// The Op Times of a grading are in its report.
constexpr const char* kNoSamples = "DROP TABLE sample";

constexpr std::array kMigrations{
    kFirst,        "",        "",        "",       kNotGradable, kSetOfMaximum, kChangedCases,
    kLastGradings, kMessages, kSections, kRemoved, kNoSamples};

}  // namespace

std::span<const char* const> migrations() { return kMigrations; }

void migrate(SQLite::Database& database, const std::filesystem::path& file,
             std::span<const char* const> steps) {
  const auto version = [&] {
    return static_cast<std::size_t>(
        std::max(database.execAndGet("PRAGMA user_version").getInt(), 0));
  };
  const std::size_t found = version();
  if (found > steps.size()) {
    throw UsageError(fmt::format("{} has schema {}, and this opgrade knows {}", file.string(),
                                 found, steps.size()),
                     "use the newer opgrade that wrote it");
  }
  if (found == steps.size()) return;
  if (found > 0) {
    std::string time = iso_text(this_second());
    std::erase(time, ':');
    const std::string backup = fmt::format("{}.v{}.{}.bak", file.string(), found, time);
    database.backup(backup.c_str(), SQLite::Database::Save);
  }
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Another process may have migrated it meanwhile.
  for (std::size_t step = version(); step < steps.size(); ++step) database.exec(steps[step]);
  database.exec(fmt::format("PRAGMA user_version = {}", steps.size()));
  transaction.commit();
}

}  // namespace opgrade::course
