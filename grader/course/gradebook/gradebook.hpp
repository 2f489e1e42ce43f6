/// Points of a course: results, late rules, staff's items and changes to one number each. Every
/// place that shows a grade takes it from Gradebook::entry(), and its words from grade_text() and
/// derivation().
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

/// The part of an assignment's config that the gradebook needs, and the rules of now.
struct AssignmentFacts {
  double maximum = 0;  ///< of the config; in a Gradebook with that of the document's rubric
  std::map<std::string, double> items;   ///< staff's open items and their points
  std::optional<RankingConfig> ranking;  ///< of equal points the faster submission counts
  std::optional<Rules> rules;            ///< of now; unknown: no grade is marked
};
AssignmentFacts facts_of(const Config& config);

/// What a submission's gradings come to.
struct Result {
  std::vector<Attempt> counted;  ///< of the last one's config and program, without grader faults
                                 ///< and rejudges that are not applied
  std::optional<double> earned;  ///< the median of `counted`; none where gradings are missing
  std::size_t decides = 0;       ///< of `counted`: the one with the median; where `earned` is there

  const Attempt& decisive() const { return counted.at(decides); }
};

/// `attempts` are one submission's, by their place. `of` gradings are needed, an odd number. A
/// smaller odd number may be the whole result of a time when fewer were needed: it stands where it
/// is by rules that may give other points than those of `now`, since only a rejudge replaces it. Of
/// a submission that is still in work it is what an interrupt left: leave `now` out.
Result result_of(const std::vector<Attempt>& attempts, int of,
                 const std::optional<Rules>& now = std::nullopt);

/// What a submission's gradings came to before an applied rejudge and after it. Later ones are left
/// out, so that the list of a rejudge stays as it was.
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
  double after_late = 0;          ///< what was earned, less the late rule's price
  std::vector<Rejudge> rejudged;  ///< by applied ones, in the order of time
};

struct Entry {
  enum class State {
    graded,
    open,     ///< something is not decided yet: the points may change
    missing,  ///< no submission
    excused,
    held,  ///< staff hold it back: what students see of any of the others
  };
  const Student* student = nullptr;
  const Assignment* assignment = nullptr;
  State state = State::missing;
  std::optional<double> points;  ///< none for missing and excused ones
  double maximum = 0;            ///< of the grading that counts or of what staff set; else of now
  std::string reason;            ///< one line: how the points came about, or what is open
  std::string graded_by;         ///< how the rules of these points differ from those of now
  std::string graded_by_config;  ///< the SHA-256 of the config that `graded_by` is about
  bool outdated = false;         ///< they differ so that the points may not be those of now

  Due due;
  std::vector<GradedSubmission> submissions;
  std::optional<std::size_t> counts;    ///< of `submissions`
  std::size_t waiting = 0;              ///< submissions that are not graded yet
  double undecided = 0;                 ///< points that the gradings leave open
  std::map<std::string, double> items;  ///< given by staff
  std::vector<Change> changes;          ///< of this grade, in the order of time
  std::optional<Change> decided;        ///< of `changes`: the one that sets or excuses the grade
  std::optional<Change> chosen;         ///< of `changes`: by which staff chose what counts
  std::optional<ReportEntry> report;    ///< if the assignment wants a document

  /// Until then a student without any hand-in is not late.
  Moment last_deadline() const {
    return report ? std::max(due.deadline, report->due.deadline) : due.deadline;
  }
  /// The owner's submission of this number, or nullptr.
  const GradedSubmission* find(std::int64_t submission) const;
  bool is_counted(std::int64_t submission) const;
};

/// What students see of an entry: the same where staff released the grades, and else nothing of
/// what was graded. The marks of a document have a release of their own.
Entry as_students_see(Entry entry);

/// Graded submissions as contenders of a ranking. Each report is read once for each rule, unless
/// `kept` others were asked for since. Safe to use from several threads.
class Contenders {
 public:
  static constexpr std::size_t kKept = 50'000;  ///< more than the gradings that count of a class
  explicit Contenders(std::filesystem::path folder, std::size_t kept = kKept)
      : folder_(std::move(folder)), known_(kept) {}

  /// Of the gradings that count of one submission: the median by time, those without a time last.
  /// Its name is empty.
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
  const Student* only = nullptr;           ///< what is read is about this student alone
  std::shared_ptr<Contenders> contenders;  ///< a server's, which outlive the book
  Moment now = Moment::max();              ///< until its deadline a document is awaited
};

/// What belongs to an owner or a student and an assignment. A class page looks up each many times.
struct OwnKeyHash {
  std::size_t operator()(const std::pair<std::string, std::string>& key) const {
    return std::hash<std::string>()(key.first) * 31 + std::hash<std::string>()(key.second);
  }
};
template <class T>
using ByOwn = std::unordered_map<std::pair<std::string, std::string>, T, OwnKeyHash>;

/// Keeps references to the folder alone: what the store holds is read when the book is made.
class Gradebook {
 public:
  /// Reads what the assignments of `facts` need.
  Gradebook(const CourseFolder& folder, const Store& store,
            std::map<std::string, AssignmentFacts> facts, BookOptions options = {});

  Entry entry(const Student& student, const Assignment& assignment) const;
  /// Entries of every student and assignment, student by student.
  std::vector<Entry> entries() const;

  const AssignmentFacts& facts(const Assignment& assignment) const&;
  const AssignmentFacts& facts(const Assignment& assignment) && = delete;  ///< would not outlive it

  /// The owners of an assignment that has a ranking, each with the submission that counts.
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
  std::set<std::int64_t> finals_;               ///< applied rejudges that decide rankings
  ByOwn<std::vector<Submission>> submissions_;  ///< by assignment and owner, in hand-in's order
  std::unordered_map<std::int64_t, std::vector<Attempt>> attempts_;
  ByOwn<std::vector<Change>> changes_;  ///< by student and assignment
  std::vector<Store::RemovedTime> removed_;
  std::map<std::string, ReportBook> reports_;  ///< by assignment, of those that want a document
  ByOwn<Due> due_;                             ///< by assignment and owner, of documents, too
};

/// What differs from the rules of now where grades were made by others: a line for each set of
/// rules, with the number of grades, then each value of the config that changed. Empty where all
/// were made by those of now. `config_text` is the assignment's effective config of now.
std::vector<std::string> outdated_grades(const CourseFolder& folder, const Gradebook& book,
                                         const Assignment& assignment,
                                         const std::string& config_text);

std::string_view name_of(Entry::State state);

/// The state in words: until the deadline nothing is missing, but "not handed in yet".
std::string_view state_text(const Entry& entry, Moment now);

/// The grade in words: "72.5 of 80", "60 of 80, open", "excused", "missing".
std::string grade_text(const Entry& entry, Moment now = Moment::max());

/// "1 submission is not graded yet", "40 points are not decided".
std::string waiting_text(const Entry& entry);
std::string undecided_text(const Entry& entry);

/// A submission's points in words: "80 of 100, -10 % of the points (1 day late)"; empty while
/// gradings are missing.
std::string points_text(const GradedSubmission& graded, const Assignment& assignment);

/// At most two decimals, as Canvas compares: "72.5".
std::string points_text(double points);

/// Sums of the same points differ by rounding, since a config and a grading add them in different
/// orders.
bool same_maximum(double a, double b);

/// Points that look like a typing mistake.
struct UnusualPoints : UsageError {
  using UsageError::UsageError;
};

/// Takes the points that staff wrote for `change`, which has a kind and an item: a text, empty for
/// none. Throws UsageError for an item or points that `facts` do not know, and UnusualPoints unless
/// `sure`.
void take_points(Change& change, const std::string& text, const AssignmentFacts& facts, bool sure);

/// How the grade came about, a line each: the deadline, which submission counts and why, its
/// gradings, lateness and cost, what staff gave and set. Students read no reason and no name of
/// staff.
std::vector<std::string> derivation(const Entry& entry, const CourseFolder& folder,
                                    report::Audience audience);

/// When a grading began, on the course's clock: results name it in UTC. Another text stays.
std::string local_text(const std::string& started, const TimeZone& zone);

/// Rule, submissions, attempts, points with their reasons, and changes. `case_id` shows the samples
/// and findings of this case alone; empty: the points of all cases.
std::string why_text(const Entry& entry, const CourseFolder& folder, const std::string& case_id);

/// The gradebook as a table for a course system.
struct GradebookTable {
  std::string csv;
  /// Cells that are left empty because something is open, grades above the maximum, and in the
  /// plain format grades by other rules.
  std::vector<std::string> warnings;
};

struct TableOptions {
  std::string only;              ///< this assignment alone; empty: all
  bool missing_is_zero = false;  ///< else a student without a submission has an empty cell
  bool as_graded = false;        ///< also grades whose config, task or program changed since
  Moment now = Moment::max();    ///< until its deadline no submission is missing
};

/// Their names.
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
/// A column of a platform has one maximum: that of most of its grades. A grade of another maximum
/// is left empty. Throws UsageError for a platform's format where a grade is outdated, unless
/// `as_graded`.
GradebookTable gradebook_table(std::string_view format, const Gradebook& book,
                               const CourseFolder& folder, const TableOptions& options);

}  // namespace opgrade::course
