/// course.db: what was handed in, what was graded and who changed a grade. No submission, grading
/// or change of a grade is overwritten, and none is removed unless a whole student is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/course/folder/time_zone.hpp"

namespace SQLite {
class Database;
}

namespace opgrade::course {

struct Submission {
  std::int64_t id = 0;
  std::string assignment;
  std::string owner;   ///< Owner::key
  std::string sha256;  ///< SHA-256 of the file
  std::string file;    ///< path of the file, relative to the course folder
  Moment handed_in;
  std::string source;  ///< the place where staff got it from
  Moment added;
  std::string added_by;
  bool limited = false;        ///< the service accepted it under the daily limit
  bool withdrawn = false;      ///< withdrawn before it was graded
  std::string not_gradable{};  ///< why no stage finds its files; empty if one does
};

/// One grading of one submission. There is at most one with the same submission, config, version
/// and number.
struct Attempt {
  std::int64_t id = 0;
  std::int64_t submission = 0;
  std::string config_sha256, version;
  int number = 1;
  std::string machine, tier, device, started;
  Outcome outcome = Outcome::not_run;
  double points = 0, max_points = 0, open_points = 0;
  std::optional<double> late_points{};  ///< see Grade::late_points
  std::string result;                   ///< the report's file, relative to the course folder
  std::string result_sha256;
  std::int64_t rejudge = 0;  ///< Rejudge::id, or 0
  bool counts = true;        ///< it belongs to no rejudge, or to an applied one
  /// Order among the attempts of its submission; the last one that counts holds. Attempts of a
  /// rejudge come right after the grading that was the last one when the rejudge began.
  int place = 0;
};

/// Rejudge::filter of the rejudge that decides the ranking.
inline constexpr const char* kFinalTiming = "the final timing of all that count";

/// A set of submissions graded again. Its attempts count when it is applied.
struct Rejudge {
  enum class State { open, applied, cancelled };
  std::int64_t id = 0;
  std::string assignment, config, config_sha256;
  int repeat = 1;      ///< gradings of each submission
  std::string filter;  ///< in words
  Moment at;
  std::string who, reason;
  bool changed_cases = false;  ///< runs only the cases whose rules changed
  State state = State::open;
  std::string decided_by;
  Moment decided_at{};
  bool told = true;  ///< students whose points change see the reason
};

/// The key of an attempt that belongs to a rejudge.
struct RejudgeJob {
  std::int64_t submission = 0;
  std::string config_sha256, version;
  int number = 1;
  bool at_deadline = false;  ///< runs the cases that hand-ins leave out
};

/// Staff changed a grade. The last change of a kind (and item) of a student's assignment holds.
struct Change {
  enum class Kind {
    points,
    item,
    excused,
    none,    ///< cancels an earlier change of points
    counts,  ///< staff chose the submission that counts, in place of the rule, or cancelled such a
             ///< choice
  };
  std::int64_t id = 0;
  Moment at;
  std::string who;
  std::string student;  ///< login
  std::string assignment;
  Kind kind = Kind::points;
  std::string item;  ///< an open item's name
  std::optional<double> points;
  /// The assignment's maximum when the points were set; nullopt if an older opgrade stored the
  /// change and the maximum is unknown.
  std::optional<double> maximum;
  std::string reason;  ///< for staff
  std::string told{};  ///< text for the student; may be empty
  /// For Kind::counts: the chosen submission; nullopt: the rule decides.
  std::optional<std::int64_t> submission{};
};

/// The submissions that staff chose to count, by login and assignment.
using Choices = std::map<std::pair<std::string, std::string>, std::int64_t>;

/// The change by which staff chose the submission that counts; nullptr if the rule decides.
/// `changes` are one student's for one assignment, in the order of time.
const Change* choice_of_staff(std::span<const Change> changes);

/// The address that the audit log has for a change that was made by a command.
inline constexpr const char* kThisMachine = "this machine";

/// The name of a network file system by the number that statfs(2) returns; nullopt for others.
std::optional<std::string> network_file_system(std::int64_t statfs_type);

/// statfs(2)'s number for the file system that holds `folder`. Throws Error.
std::int64_t file_system_type(const std::filesystem::path& folder);

using FileSystemType = std::function<std::int64_t(const std::filesystem::path&)>;

/// Throws UsageError if `folder` is on a network file system.
void require_local_disk(const std::filesystem::path& folder,
                        const FileSystemType& type = file_system_type);

/// Rows of a table that belong to a submission or a person, which is ?1 in `where`.
struct TableRows {
  const char* table;
  const char* where;
  const char* name;  ///< what people call these rows
  /// The columns that an export gives to the student, as a list for SELECT; empty: the export has
  /// none of these rows. Columns that staff alone may read, such as their names and reasons, are
  /// not in the list.
  const char* of_student;
};

struct TableColumn {
  const char* table;
  const char* name;
};

/// The tables of another module in course.db.
struct ModuleTables {
  std::string_view name;
  std::span<const char* const> steps;        ///< like migrations()
  std::span<const TableRows> of_submission;  ///< in an order in which they can be removed
  std::span<const TableRows> of_person;
  std::span<const TableColumn> texts;  ///< columns that may name a person in rows that stay
};

/// Safe to use from several threads. Several processes may use one store: SQLite lets one process
/// write at a time, and other writers wait. Readers never wait: each sees the last complete state.
class Store {
 public:
  /// Makes the database in a course folder that has none. Throws UsageError on a network file
  /// system.
  static Store create(const std::filesystem::path& folder, std::vector<ModuleTables> modules = {},
                      const FileSystemType& type = file_system_type);

  /// A database of an older opgrade is copied to course.db.v<schema>.<time>.bak and migrated.
  /// Throws UsageError if there is none, if it is on a network file system, or if it is a newer
  /// opgrade's.
  static Store open(const std::filesystem::path& folder, std::vector<ModuleTables> modules = {},
                    const FileSystemType& type = file_system_type);

  Store(Store&&) noexcept;
  ~Store();

  /// Adds a submission and sets its id. Returns false if the store has the owner's submission of
  /// this content and time, whose id is set then.
  bool add(Submission& submission);
  /// Changes Submission::not_gradable after a check by the current config, whose file names may
  /// have been corrected.
  void set_not_gradable(std::int64_t submission, const std::string& why);
  /// Submissions in the order of hand-in. An empty name selects all assignments or owners.
  std::vector<Submission> submissions(const std::string& assignment = "",
                                      const std::string& owner = "") const;

  std::map<std::int64_t, Submission> submissions_by_id(const std::string& assignment = "") const;

  /// Adds an attempt and sets its id. Returns false if its key has a result, which stays.
  bool record(Attempt& attempt);
  /// The attempts of one submission by their place, or all attempts in the order of recording.
  std::vector<Attempt> attempts(std::optional<std::int64_t> submission = std::nullopt) const;
  /// The attempts of an assignment by submission, each submission's by their place.
  std::map<std::int64_t, std::vector<Attempt>> attempts_of(const std::string& assignment) const;
  /// Finds an attempt of another submission with the same file that can be copied for `attempt`: it
  /// has the same rules, belongs to the same rejudge or also to none, and has as many attempts
  /// before it. Of several the first recorded one is returned, but never a grader fault or an
  /// attempt that an applied or open rejudge replaces.
  std::optional<Attempt> attempt_of_copy(const Submission& submission,
                                         const RejudgeJob& attempt) const;
  /// The newest attempts, the last one first, each with its submission.
  std::vector<std::pair<Attempt, Submission>> last_attempts(int most) const;
  /// Submissions that the service accepted and that are neither graded nor withdrawn.
  std::set<std::int64_t> unfinished() const;

  /// The owners of an assignment's submissions, each once.
  std::set<std::string> owners(const std::string& assignment) const;
  /// The outcomes of the last grading that counts of each submission, without grader faults.
  std::vector<Outcome> last_outcomes(const std::string& assignment) const;

  /// The next unused number for this key: one more than the last one that an attempt or a rejudge's
  /// job has.
  int next_number(std::int64_t submission, const std::string& config_sha256,
                  const std::string& version) const;

  /// Adds a rejudge and sets its id.
  void begin(Rejudge& rejudge, const std::vector<RejudgeJob>& jobs);
  void add_jobs(std::int64_t rejudge, const std::vector<RejudgeJob>& jobs);
  std::vector<Rejudge> rejudges() const;
  std::vector<RejudgeJob> rejudge_jobs(std::int64_t rejudge) const;
  /// By submission: the number of its gradings of a rejudge that are no faults.
  std::map<std::int64_t, int> good_gradings(std::int64_t rejudge) const;
  /// Applies or cancels a rejudge. Returns false if it is already decided; that decision stays.
  bool decide(std::int64_t rejudge, bool apply, Moment at, const std::string& who);

  /// Records a change, with its line in the audit log. `address`: where the change came from.
  void change(const Change& change, const std::string& address = kThisMachine);
  /// Changes in the order of time; of all students if `student` is empty.
  std::vector<Change> changes(const std::string& student = "") const;
  /// The choices that hold: see choice_of_staff().
  Choices choices() const;

  /// The time by which a removed student ranked.
  struct RemovedTime {
    std::string name, assignment;
    double time_ms = 0;
  };
  std::vector<RemovedTime> removed_times() const;

  /// The modules with which the store was opened.
  const std::vector<ModuleTables>& modules() const;

  /// Copies the database as it is now into the folder `to`. Other programs may write meanwhile.
  void copy_to(const std::filesystem::path& to) const;
  /// Like work(), for functions that remove rows: after empty_log() the database's files contain
  /// nothing of these rows.
  void erase(const std::function<void(SQLite::Database&)>& on_database);
  /// Empties SQLite's write-ahead log. Waits for readers of other programs; throws Error if one of
  /// them does not end.
  void empty_log();

  /// Runs a function that changes tables of another module, in one transaction. One caller at a
  /// time in this process. Database errors become Error.
  void work(const std::function<void(SQLite::Database&)>& on_database) const;
  /// Runs a function that only reads. Several callers may read at a time, and none waits for a
  /// writer of any process.
  void read(const std::function<void(SQLite::Database&)>& on_database) const;

  /// A text that changes with every change that can move a grade, whichever process made it.
  std::string grades_version() const;
  /// grades_version() by assignment, without assignments of which the store has no rows.
  std::map<std::string, std::string> grades_versions() const;
  /// A number that changes with every change of the database, whichever process made it.
  std::int64_t version() const;
  /// Why the database accepts no change at this moment; nullopt if it accepts one. The lock of
  /// another writer, which may be brief, is such a reason, too. Does not wait.
  std::optional<std::string> refuses_changes() const;

  /// False if the folder was moved away or replaced since the database was opened. A file written
  /// to its old path would be lost.
  bool is_in_place() const;
  /// Throws Error unless is_in_place().
  void require_place() const;

  /// Complaints of SQLite's own checks of the file; empty if nothing is wrong.
  std::vector<std::string> damage() const;

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  static Store open_file(const std::filesystem::path& folder, std::vector<ModuleTables> modules,
                         bool create, const FileSystemType& type);
  std::unique_ptr<State> state_;
};

std::string_view name_of(Change::Kind kind);
std::string text_of(const Change& change);  ///< for the audit log
std::string_view name_of(Rejudge::State state);

/// The user who runs this program, as the store names people.
std::string user_name();

}  // namespace opgrade::course
