/// The start of a report: the verdict, each problem with its place, and the next action.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/report/words/diagnostics.hpp"
#include "grader/report/words/units.hpp"

namespace opgrade::report {

/// The state of the whole grade.
enum class Standing {
  passed,     ///< reached the pass mark
  failed,     ///< below the mark, and a case is wrong or the open points cannot reach the mark
  undecided,  ///< no case is wrong, and the mark is reached if the open points are earned
  not_run,    ///< no case was run
  fault,      ///< the grader or its machine failed; says nothing about the submission
};

inline constexpr std::array kStandings{Standing::passed, Standing::failed, Standing::undecided,
                                       Standing::not_run, Standing::fault};
/// "PASSED", "FAILED", "GRADER FAULT", ...
std::string_view title_of(Standing standing);

struct Verdict {
  Standing standing = Standing::not_run;
  std::string title;
  std::string score;  ///< "12 of 40 points (20 to pass); 20 more are open"
};

/// The verdict of a view. All functions below take views (view.hpp), too.
Verdict grade_verdict(const Grade& view);

/// The outcome in words, and whether there is a warning.
std::string_view state_of(const CaseReport& c);

/// True for a case that is wrong or has a warning (warning_of()).
bool has_problem(const CaseReport& c);

/// One thing that went wrong, or a warning. Cases of a stage that failed in the same way are one
/// problem.
struct Problem {
  Outcome outcome = Outcome::not_run;  ///< passed: the problem is a warning
  std::string_view state;              ///< the outcome in words
  std::string explain;                 ///< the topic of `opgrade explain`
  std::string where;               ///< "cpu/high/1000", "the CPU stage's build", "the submission"
  std::string reason;              ///< one sentence
  std::vector<std::string> facts;  ///< layer and place, values, limits, findings; one per line
  CodePlace place;                 ///< place of the mistake
  std::string next;                ///< what to do
  std::string repeat_command;      ///< may be empty
  std::string output_title;        ///< "compiler output", "what it printed"
  std::string output;              ///< bytes of the submission, printable, many lines
  std::vector<std::string> also;   ///< ids of further cases that this problem covers
};

/// The problems in the order of the stages. Cases that were not run are no problems of the
/// submission, and advice is left out, too.
std::vector<Problem> problems_of(const Grade& view);

/// True if the first problem repeats `view.reason`, so that the reason need not be shown above the
/// problem.
bool tells_headline(const Grade& view, const std::vector<Problem>& problems);

/// The command that explains `problems[which]`; empty if an earlier problem has the same command.
std::string explain_command(const std::vector<Problem>& problems, std::size_t which);

/// The heading of the problems, which says whether there are mistakes or only undecided cases.
std::string_view heading_of(const std::vector<Problem>& problems);

/// The advice: cases that the course did not ask for and that are wrong.
std::vector<Problem> advice_of(const Grade& view);

/// The text above the advice.
inline constexpr std::string_view kAdviceTitle = "Advice, without points";
inline constexpr std::string_view kAdvice =
    "The course did not ask for these shapes; they change neither points nor verdict.";

/// "12/20", "open", or "advice"; empty if the case has no points.
std::string show_case_points(const CaseReport& c);

/// The meaning of a report's colours.
enum class Mark { good, bad, open };
Mark mark_of(Outcome outcome);
Mark mark_of(const CaseReport& c);
Mark mark_of(Standing standing);

/// Id, outcome, accuracy, Op Time, Layer Time and points of a case.
std::array<std::string, 6> case_cells(const CaseReport& c, Device device,
                                      const Glyphs& glyphs = unicode_glyphs());

/// A row of the table of points: "12/20", "cpu: Op Time high/100", and the reason.
struct PointRow {
  std::string points;
  Mark mark;
  std::string item, reason;
};
std::vector<PointRow> point_rows(const Grade& view, const Glyphs& glyphs = unicode_glyphs());

/// The notes of the grade, and the findings of cases that passed, because these findings cost no
/// points.
std::vector<std::string> notes_of(const Grade& view);

/// False if a table of all points would only repeat the stages' tables, because each case has one
/// item, none is open, and no stage has points of its own.
bool points_need_a_table(const Grade& view);

/// True if no case of a stage was tried. Such a stage is reported as "not run", neither passed nor
/// failed.
bool is_not_run(const StageReport& stage);

/// Why the stage was not run, or empty.
std::string not_run_reason(const StageReport& stage);

/// The GPU on which the stage's cases ran, or each GPU with its cases; empty if no GPU was used.
std::string ran_on(const StageReport& stage);

/// Passed if everything that ran passed, else the worst outcome.
Outcome outcome_of(const StageReport& stage);

}  // namespace opgrade::report
