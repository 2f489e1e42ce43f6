#include "grader/service/state/tables.hpp"

#include <array>

namespace opgrade::service {
namespace {

// Versions up to 12 are those of the whole database, because older releases counted one version for
// all. Steps without text changed tables of the course.

// The schema of opgrade 0.1.0. Secrets are stored as SHA-256. A slow hash would not protect them
// better, because they are 256 random bits.
constexpr const char* kFirst = R"(
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
CREATE TABLE ranking_name (
  owner TEXT PRIMARY KEY,
  name TEXT NOT NULL              -- chosen by the owner
) STRICT;
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
)";

// An index, so that the last gradings are found without reading all.
constexpr const char* kLastGradings = R"(
DROP INDEX hand_in_state;
CREATE INDEX hand_in_state ON hand_in (state, ended);
)";

// Messages of students and staff about a submission.
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
)";

// Staff of one section of the roster. Roles are student, observer, grader and staff.
constexpr const char* kSections = R"(
ALTER TABLE token ADD COLUMN section TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN section TEXT NOT NULL DEFAULT '';
)";

// Persons who get a mail or webhook when a grading is done.
constexpr const char* kNotices = R"(
CREATE TABLE notice (
  person TEXT PRIMARY KEY         -- a login
) STRICT;
)";

// The course reads the state of a submission in its own table. Triggers write it there, so that no
// change of a state can be missed.
constexpr const char* kStates = R"(
CREATE TRIGGER hand_in_added AFTER INSERT ON hand_in BEGIN
  UPDATE submission SET limited = 1, withdrawn = new.state = 'cancelled',
    unfinished = new.state IN ('queued', 'running', 'stuck') WHERE id = new.submission;
END;
CREATE TRIGGER hand_in_moved AFTER UPDATE OF state ON hand_in BEGIN
  UPDATE submission SET limited = 1, withdrawn = new.state = 'cancelled',
    unfinished = new.state IN ('queued', 'running', 'stuck') WHERE id = new.submission;
END;
UPDATE hand_in SET state = state;
)";

// How long workers spent on each submission, and the finished cases of an interrupted practice run.
constexpr const char* kRuns = R"(
CREATE TABLE worker_run (
  submission INTEGER NOT NULL REFERENCES hand_in,
  run INTEGER NOT NULL,           -- hand_in.run
  begun INTEGER NOT NULL,         -- seconds since 1970, UTC
  ended INTEGER,                  -- none while it runs
  PRIMARY KEY (submission, run)
) STRICT;
CREATE INDEX worker_run_ended ON worker_run (ended);
CREATE TABLE unfinished_run (
  submission INTEGER PRIMARY KEY REFERENCES hand_in,
  cases INTEGER NOT NULL,         -- that are done
  report TEXT NOT NULL            -- with these cases, as JSON
) STRICT;
)";

// The tool under which a practice run runs: profile, sanitizer, or none.
constexpr const char* kTools = "ALTER TABLE hand_in ADD COLUMN tool TEXT NOT NULL DEFAULT ''";

// A message may be about a line of the submission.
constexpr const char* kPlaces = R"(
ALTER TABLE message ADD COLUMN file TEXT NOT NULL DEFAULT '';  -- of the submission, or empty
ALTER TABLE message ADD COLUMN line INTEGER NOT NULL DEFAULT 0;
)";

// Announcements of staff to all students.
constexpr const char* kAnnouncements = R"(
CREATE TABLE announcement (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,            -- seconds since 1970, UTC
  who TEXT NOT NULL,              -- a login
  assignment TEXT NOT NULL,       -- whose page has it; empty: all of them
  text TEXT NOT NULL,
  ended INTEGER                   -- since when students do not see it
) STRICT;
)";

// `opgrade course add` puts submissions into the queue of a running server. The command does not
// check the service's limits, so the course's daily limit applies to them.
constexpr const char* kAdded = R"(
ALTER TABLE hand_in ADD COLUMN added INTEGER NOT NULL DEFAULT 0;  -- 1: by opgrade course add
DROP TRIGGER hand_in_added;
DROP TRIGGER hand_in_moved;
CREATE TRIGGER hand_in_added AFTER INSERT ON hand_in BEGIN
  UPDATE submission SET limited = NOT new.added, withdrawn = new.state = 'cancelled',
    unfinished = new.state IN ('queued', 'running', 'stuck') WHERE id = new.submission;
END;
CREATE TRIGGER hand_in_moved AFTER UPDATE OF state ON hand_in BEGIN
  UPDATE submission SET limited = NOT new.added, withdrawn = new.state = 'cancelled',
    unfinished = new.state IN ('queued', 'running', 'stuck') WHERE id = new.submission;
END;
)";

// A message may be about an item or a group of a rubric.
constexpr const char* kItems = R"(
ALTER TABLE message ADD COLUMN item TEXT NOT NULL DEFAULT '';  -- its name, or empty
)";

constexpr std::array kSteps{
    kFirst,         "",        "",       "", "",      "",    "",     kLastGradings,
    kMessages,      kSections, kNotices, "", kStates, kRuns, kTools, kPlaces,
    kAnnouncements, kAdded,    kItems};

// The export has no log, because its events name hidden cases; the report has what they say.
constexpr std::array kOfSubmission{
    course::TableRows{"event", "submission = ?1", "log line", ""},
    course::TableRows{"message", "submission = ?1", "comment", "at, staff, text, file, line, item"},
    course::TableRows{"worker_run", "submission = ?1", "run of a worker", ""},
    course::TableRows{"unfinished_run", "submission = ?1", "unfinished run", ""},
    course::TableRows{"hand_in", "submission = ?1", "hand-in",
                      "person, state, staff, tool, queued, started, ended"},
};
constexpr std::array kOfPerson{
    course::TableRows{"notice", "person = ?1", "wish for notices", "person"},
    course::TableRows{"ranking_name", "owner = ?1", "name in the ranking", "name"},
    course::TableRows{"session", "person = ?1", "session", "role, section, expires"},
    course::TableRows{"token", "person = ?1", "token", "role, section, made, revoked"},
};
constexpr std::array kTexts{
    course::TableColumn{"hand_in", "person"},        course::TableColumn{"message", "who"},
    course::TableColumn{"message", "text"},          course::TableColumn{"event", "text"},
    course::TableColumn{"unfinished_run", "report"}, course::TableColumn{"announcement", "who"},
    course::TableColumn{"announcement", "text"},
};

}  // namespace

const course::ModuleTables& tables() {
  static constexpr course::ModuleTables kService{"service", kSteps, kOfSubmission, kOfPerson,
                                                 kTexts};
  return kService;
}

course::Store open_store(const std::filesystem::path& folder) {
  return course::Store::open(folder, {tables()});
}

}  // namespace opgrade::service
