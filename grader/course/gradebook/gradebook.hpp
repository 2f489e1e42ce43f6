/// Computes the points of a course: results, late rules, and staff's items and changes give one
/// number for each student and assignment. Every page and table that shows a grade takes it from
/// Gradebook::entry(), and its words from grade_text() and derivation().
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/recent_map.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradebook/report_entry.hpp"
#include "grader/course/gradebook/standing.hpp"
#include "grader/course/gradings/rules.hpp"
#include "grader/course/store/store.hpp"
#include "grader/grading/score/rank.hpp"
#include "grader/report/fields/view.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade::course {

/// What the gradebook needs of an assignment's current config, and the current rules.
struct AssignmentFacts {
  double maximum = 0;  ///< the config's; in a Gradebook plus the maximum of the document's rubric
  std::map<std::string, double> items;  ///< staff's open items and their points
  /// If set, the faster of two submissions with equal points counts.
  std::optional<RankingConfig> ranking;
  std::optional<Rules> rules;  ///< the current rules; nullopt: no grade is marked as outdated
};
AssignmentFacts facts_of(const Config& config);

/// The result of a submission's gradings.
struct Result {
  std::vector<Attempt> counted;  ///< the gradings with the config and program of the last one,
                                 ///< without grader faults and rejudges that are not applied
  std::optional<double> earned;  ///< the median of `counted`; nullopt if gradings are missing
  /// Index in `counted` of the grading with the median; valid if `earned` is set.
  std::size_t decides = 0;

  const Attempt& decisive() const { return counted.at(decides); }
};

/// `attempts` are one submission's, by their place. `of` gradings are needed, an odd number. A
/// smaller odd number may be a complete result from a time when fewer were needed. It is accepted
/// if its rules may give other points than `now`, because only a rejudge replaces such a result. If
/// the submission is still in work, a smaller number is what an interrupt left: leave `now` out.
Result result_of(const std::vector<Attempt>& attempts, int of,
                 const std::optional<Rules>& now = std::nullopt);

/// A submission's result before and after an applied rejudge. Later gradings are left out, so that
/// the list of a rejudge's changes never changes.
struct Regraded {
  Result before, after;
  /// "40 of 100 became 40 of 120"; empty if neither points nor maximum changed.
  std::string text() const;
};
Regraded regraded_by(const std::vector<Attempt>& attempts, std::int64_t rejudge, int of);

/// A submission with its results.
struct GradedSubmission {
  Standing standing;
  std::vector<Attempt> attempts;  ///< all, by their place
  Result result;
  double after_late = 0;          ///< the earned points less the late rule's price
  std::vector<Rejudge> rejudged;  ///< the applied rejudges that graded it, in the order of time
};

struct Entry {
  enum class State {
    graded,
    open,     ///< something is not decided yet: the points may change
    missing,  ///< no submission
    excused,
    held,  ///< staff hold the grade back: students see this instead of the other states
  };
  const Student* student = nullptr;
  const Assignment* assignment = nullptr;
  State state = State::missing;
  std::optional<double> points;  ///< nullopt if the grade is missing or excused
  /// The maximum of the grading that counts or of the change that staff made; else the current one.
  double maximum = 0;
  std::string reason;            ///< one line: how the points came about, or what is open
  std::string graded_by;         ///< how the rules of these points differ from the current ones
  std::string graded_by_config;  ///< the SHA-256 of the config that `graded_by` is about
  bool outdated = false;         ///< the rules differ, and the current ones may give other points

  Due due;
  std::vector<GradedSubmission> submissions;
  std::optional<std::size_t> counts;    ///< index in `submissions` of the one that counts
  std::size_t waiting = 0;              ///< submissions that are not graded yet
  double undecided = 0;                 ///< points that the gradings leave open
  std::map<std::string, double> items;  ///< points of the open items that staff graded
  std::vector<Change> changes;          ///< all changes of this grade, in the order of time
  /// The one of `changes` that sets or excuses the grade; nullopt: none does.
  std::optional<Change> decided;
  /// The one of `changes` by which staff chose the submission that counts; nullopt: none did.
  std::optional<Change> chosen;
  std::optional<ReportEntry> report;  ///< set if the assignment wants a document

  /// A student who has handed in nothing is not late before this moment.
  Moment last_deadline() const {
    return report ? std::max(due.deadline, report->due.deadline) : due.deadline;
  }
  /// The owner's submission of this number, or nullptr.
  const GradedSubmission* find(std::int64_t submission) const;
  bool is_counted(std::int64_t submission) const;
};

/// What students see of an entry: all of it if staff released the grades, else nothing that tells
/// the grade. The marks of a document are released separately.
Entry as_students_see(Entry entry);

/// Caches graded submissions as contenders of a ranking. Each report is read once for each rule,
/// unless `kept` others were read since. Safe to use from several threads.
class Contenders {
 public:
  static constexpr std::size_t kKept = 50'000;  ///< more than a class has gradings that count
  explicit Contenders(std::filesystem::path folder, std::size_t kept = kKept)
      : folder_(std::move(folder)), known_(kept) {}

  /// The contender for one submission, from its gradings that count: the median by time, in which
  /// gradings without a time are last. Its name is empty.
  Contender of(const std::vector<Attempt>& counted, const RankingConfig& rule);
  std::size_t size() const;

 private:
  Contender of(const Attempt& attempt, const RankingConfig& rule);

  const std::filesystem::path folder_;
  mutable std::mutex guard_;
  RecentMap<std::pair<std::string, std::string>, Contender> known_;  ///< by result and rule
};

struct BookOptions {
  std::int64_t as_if_applied = 0;          ///< an open rejudge whose attempts count here
  const Student* only = nullptr;           ///< reads the data of this student only; nullptr: of all
  std::shared_ptr<Contenders> contenders;  ///< a server's cache, which outlives the book
  /// The time of reading: before its deadline a document is not missing yet.
  Moment now = Moment::max();
};

/// Hash for values by assignment and owner or student. A page of a class looks up each value many
/// times.
struct OwnKeyHash {
  std::size_t operator()(const std::pair<std::string, std::string>& key) const {
    return std::hash<std::string>()(key.first) * 31 + std::hash<std::string>()(key.second);
  }
};
template <class T>
using ByOwn = std::unordered_map<std::pair<std::string, std::string>, T, OwnKeyHash>;

/// Refers to the folder. The store is read only when the book is made.
class Gradebook {
 public:
  /// Reads what the assignments of `facts` need.
  Gradebook(const CourseFolder& folder, const Store& store,
            std::map<std::string, AssignmentFacts> facts, BookOptions options = {});

  Entry entry(const Student& student, const Assignment& assignment) const;
  /// Entries of every student and assignment, student by student.
  std::vector<Entry> entries() const;

  const AssignmentFacts& facts(const Assignment& assignment) const&;
  /// The reference would dangle.
  const AssignmentFacts& facts(const Assignment& assignment) && = delete;

  /// The ranked owners of an assignment that has a ranking, each with the submission that counts.
  std::vector<Ranked> ranking(const Assignment& assignment) const;

 private:
  Contender contender(const Entry& entry, const std::string& owner,
                      const RankingConfig& rule) const;
  void take_report(Entry& entry, const std::string& owner) const;

  const CourseFolder& folder_;
  const Moment now_;
  std::shared_ptr<Contenders> contenders_;
  std::map<std::string, AssignmentFacts> facts_;
  const std::set<std::int64_t> unfinished_;
  std::map<std::int64_t, Rejudge> applied_;
  std::set<std::int64_t> finals_;               ///< the applied rejudges that are the final timing
  ByOwn<std::vector<Submission>> submissions_;  ///< by assignment and owner, in hand-in's order
  std::unordered_map<std::int64_t, std::vector<Attempt>> attempts_;
  ByOwn<std::vector<Change>> changes_;  ///< by student and assignment
  std::vector<Store::RemovedTime> removed_;
  std::map<std::string, ReportBook> reports_;  ///< by assignment, for those that want a document
  ByOwn<Due> due_;                             ///< by assignment and owner, also for documents
};

/// How the rules of outdated grades differ from the current ones: a line for each set of rules,
/// with the number of grades, then each value of the config that changed. Empty if all grades were
/// made by the current rules. `config_text` is the assignment's current effective config.
std::vector<std::string> outdated_grades(const CourseFolder& folder, const Gradebook& book,
                                         const Assignment& assignment,
                                         const std::string& config_text);

std::string_view name_of(Entry::State state);

/// The state in words. Before the deadline "missing" reads "not handed in yet".
std::string_view state_text(const Entry& entry, Moment now);

/// The grade in words: "72.5 of 80", "60 of 80, open", "excused", "missing".
std::string grade_text(const Entry& entry, Moment now = Moment::max());

/// "1 submission is not graded yet", "40 points are not decided".
std::string waiting_text(const Entry& entry);
std::string undecided_text(const Entry& entry);

/// A submission's points in words: "80 of 100, -10 % of the points (1 day late)"; empty if gradings
/// are missing.
std::string points_text(const GradedSubmission& graded, const Assignment& assignment);

/// Has at most two decimals, because Canvas compares points so: "72.5".
std::string points_text(double points);

/// True if two maxima differ by rounding at most: a config and a grading add the same points in
/// different orders.
bool same_maximum(double a, double b);

/// Points that look like a typing mistake.
struct UnusualPoints : UsageError {
  using UsageError::UsageError;
};

/// Sets the points of `change`, which has a kind and an item, from the text that staff wrote; an
/// empty text means none. Throws UsageError if `facts` do not allow the item or the points, and
/// UnusualPoints if the points look like a mistake and staff are not `sure`.
void take_points(Change& change, const std::string& text, const AssignmentFacts& facts, bool sure);

/// How the grade came about, a line for each step: the deadline, which submission counts and why,
/// its gradings, its lateness and the price, and what staff gave and set. Lines for students have
/// neither staff's reasons nor their names.
std::vector<std::string> derivation(const Entry& entry, const CourseFolder& folder,
                                    report::Audience audience);

/// Converts the begin of a grading from UTC, as results have it, to the course's clock. A text that
/// is no time is returned as it is.
std::string local_text(const std::string& started, const TimeZone& zone);

/// Explains a grade in full: rule, submissions, attempts, points with their reasons, and changes.
/// If `case_id` is given, the text has the samples and findings of this case only; else the points
/// of all cases.
std::string why_text(const Entry& entry, const CourseFolder& folder, const std::string& case_id);

/// The gradebook as a table for a course system.
struct GradebookTable {
  std::string csv;
  /// Lists cells that are empty because something is open, grades above the maximum and, in the
  /// plain format, grades by other rules.
  std::vector<std::string> warnings;
};

struct TableOptions {
  std::string only;              ///< this assignment alone; empty: all
  bool missing_is_zero = false;  ///< false: a student without a submission has an empty cell
  bool as_graded = false;        ///< writes also grades whose config, task or program changed since
  /// The time of the export: before its deadline no submission is missing.
  Moment now = Moment::max();
};

/// The names of all formats.
std::vector<std::string> table_formats();

/// The table of one of table_formats().
///   plain       One line for each student and assignment, with state and reason.
///   stages      One line for each stage of each submission that counts, such as an exercise.
///   canvas      Columns "<title> (<assignment id>)", and the row "Points Possible". Canvas takes a
///               header without an id for a new assignment.
///   gradescope  As Gradescope exports grades: columns "<title>" and "<title> - Max Points".
///   moodle      "-" is no grade.
///   rubric      The marks of documents: a line for each group, item and free points.
///   gradescope-rubric  As Gradescope exports evaluations: a column for each item of the rubric.
///   prairielearn       Scores and feedback of documents, as PrairieLearn uploads them.
/// In a platform's format, a column has one maximum: that of most of its grades. The cell of a
/// grade with another maximum is empty. Throws UsageError for a platform's format if a grade is
/// outdated, unless `as_graded`.
GradebookTable gradebook_table(std::string_view format, const Gradebook& book,
                               const CourseFolder& folder, const TableOptions& options);

}  // namespace opgrade::course
