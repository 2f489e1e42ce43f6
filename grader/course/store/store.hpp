/// course.db: what was handed in, what was graded and who changed a grade. Nothing is overwritten,
/// and nothing but a whole student is removed.
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
  std::string sha256;  ///< of the file
  std::string file;    ///< below the course folder
  Moment handed_in;
  std::string source;  ///< where staff found it
  Moment added;
  std::string added_by;
  bool limited = false;        ///< the service took it within the daily limit
  bool withdrawn = false;      ///< taken back before it was graded
  std::string not_gradable{};  ///< why no stage finds its files; empty where one does
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
  std::optional<double> late_points{};  ///< as Grade has them
  std::string result;                   ///< the report's file below the course folder
  std::string result_sha256;
  std::int64_t rejudge = 0;  ///< Rejudge::id, or 0
  bool counts = true;        ///< of no rejudge, or of an applied one
  int place = 0;  ///< among those of its submission; the last one that counts holds. A rejudge
                  ///< stands where the last grading stood when it began
};

/// Rejudge::filter of the one that decides the ranking.
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
  bool told = true;  ///< students whose points change read the reason
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
    none,    ///< takes back a change of points
    counts,  ///< staff chose the submission that counts, whatever the rule says; or took that back
  };
  std::int64_t id = 0;
  Moment at;
  std::string who;
  std::string student;  ///< login
  std::string assignment;
  Kind kind = Kind::points;
  std::string item;  ///< an open item's name
  std::optional<double> points;
  /// Of the assignment when the points were set; none for an older opgrade's change of which
  /// nothing tells.
  std::optional<double> maximum;
  std::string reason;                        ///< for staff
  std::string told{};                        ///< to the student, or empty
  std::optional<std::int64_t> submission{};  ///< Kind::counts: the chosen one; none: by the rule
};

/// The submissions that staff chose to count, by login and assignment.
using Choices = std::map<std::pair<std::string, std::string>, std::int64_t>;

/// The submission that staff chose to count, by one student's changes for one assignment in the
/// order of time; nullptr if the rule decides.
const Change* choice_of_staff(std::span<const Change> changes);

/// The address of a change that was made by a command, in the audit log.
inline constexpr const char* kThisMachine = "this machine";

/// The name of a network file system by the number that statfs(2) gives; nothing for others.
std::optional<std::string> network_file_system(std::int64_t statfs_type);

/// statfs(2)'s number for the file system that holds `folder`. Throws Error.
std::int64_t file_system_type(const std::filesystem::path& folder);

using FileSystemType = std::function<std::int64_t(const std::filesystem::path&)>;

/// Throws UsageError where `folder` is on a network file system.
void require_local_disk(const std::filesystem::path& folder,
                        const FileSystemType& type = file_system_type);

/// TableRows of a table that belong to a submission or a person, who is ?1 in `where`.
struct TableRows {
  const char* table;
  const char* where;
  const char* name;  ///< for people
};

struct TableColumn {
  const char* table;
  const char* name;
};

/// Tables that another module has in course.db.
struct ModuleTables {
  std::string_view name;
  std::span<const char* const> steps;        ///< as migrations()
  std::span<const TableRows> of_submission;  ///< in an order in which they can be removed
  std::span<const TableRows> of_person;
  std::span<const TableColumn> texts;    ///< which may name a person in rows that stay
  std::span<const TableColumn> secrets;  ///< which no export has
};

/// Safe to use from several threads. Several processes may use one store: SQLite lets one write at
/// a time, and the others wait. Readers never wait: each sees the
/// last complete state.
class Store {
 public:
  /// Makes the database in a course folder that has none. Throws UsageError on a network file
  /// system.
  static Store create(const std::filesystem::path& folder, std::vector<ModuleTables> modules = {},
                      const FileSystemType& type = file_system_type);

  /// A database of an older opgrade is copied to course.db.v<schema>.<time>.bak and migrated.
  /// Throws UsageError where there is none, on a network file system, and for a newer opgrade's.
  static Store open(const std::filesystem::path& folder, std::vector<ModuleTables> modules = {},
                    const FileSystemType& type = file_system_type);

  Store(Store&&) noexcept;
  ~Store();

  /// False: the owner's submission of this content and time is there already. Sets the id of the
  /// one that is there.
  bool add(Submission& submission);
  /// By the config of now: its file names may have been corrected.
  void set_not_gradable(std::int64_t submission, const std::string& why);
  /// In the order of hand-in; of all assignments where none is named, of all owners likewise.
  std::vector<Submission> submissions(const std::string& assignment = "",
                                      const std::string& owner = "") const;

  std::map<std::int64_t, Submission> submissions_by_id(const std::string& assignment = "") const;

  /// False: this key has a result already, which stays. Sets the id.
  bool record(Attempt& attempt);
  /// One submission's by their place, all by the order of recording.
  std::vector<Attempt> attempts(std::optional<std::int64_t> submission = std::nullopt) const;
  /// An assignment's, each submission's by their place.
  std::map<std::int64_t, std::vector<Attempt>> attempts_of(const std::string& assignment) const;
  /// The attempt of another submission of the assignment with the same file that stands for this
  /// one's attempt: by the same rules, of the same rejudge or of none, and as many before it. The
  /// first recorded where there are several; never a grader fault, or what a rejudge replaces or is
  /// about to.
  std::optional<Attempt> attempt_of_copy(const Submission& submission,
                                         const RejudgeJob& attempt) const;
  /// The newest of all, the last one first, each with its submission.
  std::vector<std::pair<Attempt, Submission>> last_attempts(int most) const;
  /// Submissions that a service takes on, and has neither graded nor taken back.
  std::set<std::int64_t> unfinished() const;

  /// Of an assignment's submissions, each owner once.
  std::set<std::string> owners(const std::string& assignment) const;
  /// Of the last grading that counts of each submission, without grader faults.
  std::vector<Outcome> last_outcomes(const std::string& assignment) const;

  /// One more than the last number of this key that an attempt has or a rejudge will have.
  int next_number(std::int64_t submission, const std::string& config_sha256,
                  const std::string& version) const;

  /// Sets the id.
  void begin(Rejudge& rejudge, const std::vector<RejudgeJob>& jobs);
  void add_jobs(std::int64_t rejudge, const std::vector<RejudgeJob>& jobs);
  std::vector<Rejudge> rejudges() const;
  std::vector<RejudgeJob> rejudge_jobs(std::int64_t rejudge) const;
  /// By submission: its gradings of a rejudge that are no faults.
  std::map<std::int64_t, int> good_gradings(std::int64_t rejudge) const;
  /// False: it was decided before, and that stays.
  bool decide(std::int64_t rejudge, bool apply, Moment at, const std::string& who);

  /// With its line of the audit log. `address`: where it came from.
  void change(const Change& change, const std::string& address = kThisMachine);
  /// In the order of time; of all students where none is named.
  std::vector<Change> changes(const std::string& student = "") const;
  /// By the last change of each student and assignment: see choice_of_staff().
  Choices choices() const;

  /// The time by which a removed student ranked.
  struct RemovedTime {
    std::string name, assignment;
    double time_ms = 0;
  };
  std::vector<RemovedTime> removed_times() const;

  /// That it was opened with.
  const std::vector<ModuleTables>& modules() const;

  /// A copy of the database as it is now, in the folder `to`. Other programs may write meanwhile.
  void copy_to(const std::filesystem::path& to) const;
  /// As work(), for what removes rows: after empty_log() the database's files hold nothing of them.
  void erase(const std::function<void(SQLite::Database&)>& on_database);
  /// Waits for readers of other programs; throws Error if one of them does not end.
  void empty_log();

  /// Changes in tables of another module, in one transaction: one caller at a time in this process.
  /// Database errors become Error.
  void work(const std::function<void(SQLite::Database&)>& on_database) const;
  /// The same for what only reads: several callers at a time, who wait for no writer of any
  /// process.
  void read(const std::function<void(SQLite::Database&)>& on_database) const;

  /// Another text after every change that can move a grade, by whatever process.
  std::string grades_version() const;
  /// The same by assignment, without those of which the store has nothing.
  std::map<std::string, std::string> grades_versions() const;
  /// Another number after every change, by whatever process.
  std::int64_t version() const;
  /// Why the database takes no change at this moment; another writer is no more than busy. Nothing
  /// where it takes one. Does not wait.
  std::optional<std::string> refuses_changes() const;

  /// False: the folder was moved away or replaced since the database was opened. A
  /// file written at its old path would be lost.
  bool is_in_place() const;
  /// Throws Error unless is_in_place().
  void require_place() const;

  /// Complaints of SQLite's own checks of the file; empty when nothing is wrong.
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
