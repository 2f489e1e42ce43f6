/// Answers in HTML, for browsers.
#pragma once

#include "grader/report/html/html.hpp"
#include "grader/service/pages/page.hpp"
#include "grader/service/state/status.hpp"

namespace opgrade::service::pages {

Answer style, script, icon, login, log_in, log_out;

Answer home, assignment, hand_in, submission, report, cancel, ranking_name, notices;
Answer source, say, submissions, practice, hand_in_run, choose_submission;
Answer class_table, student, student_assignment, set_points, extensions, extend, tokens, audit;
Answer change_token, gradebook, finals, staff_assignment, roster, change_roster;
Answer announcements, announce, end_announcement;
Answer rejudges, begin_rejudge, rejudge, decide_rejudge;
Answer document_file, document_page;
Answer marking, next_document, mark_document, marking_state, mark, release, rubric, change_rubric;

/// Runs the API's `act`, then shows the class again.
template <Answer act>
Response then_class(Service& service, const Visit& visit) {
  act(service, visit);
  return see_other("/staff");
}

/// "passed, 80 of 100 points, -10 % of the points (1 day late); counts".
report::Cell verdict_cell(const course::Entry* entry, const HandIn& hand_in);

/// "in time", or how long after the deadline.
std::string late_text(const course::Lateness& late);

/// Adds the grade as the gradebook has it; if `whole`, with how it came about.
void add_grade(xml_node parent, const course::CourseFolder& folder, const course::Entry& entry,
               course::Moment now, bool whole);

/// Adds the submissions, the newest first. The one that counts is marked.
void add_history(xml_node parent, const course::CourseFolder& folder, const course::Entry* entry,
                 const std::vector<HandIn>& all);

/// Adds a plot over the submissions: of the Op Time if students see a ranking by it, else of the
/// points.
void add_attempts(xml_node parent, const Service& service, const course::Entry& entry,
                  const std::vector<HandIn>& all);

/// Reads the files that the stages take from a submission.
report::SourceOf source_of(const Service& service, const HandIn& hand_in);

/// A line in the comparison of two texts.
struct DifferenceLine {
  enum class Side { both, before, after };
  Side side = Side::both;
  std::string text;
};

/// The work that all comparisons of one answer may use together. The work of one is the product of
/// its texts' numbers of lines.
struct DifferenceWork {
  std::size_t left = 4'000'000;
};

/// The shortest list of changed lines. If that needs more work than is left, the list has all lines
/// of `before`, then all of `after`.
std::vector<DifferenceLine> line_difference(const std::string& before, const std::string& after,
                                            DifferenceWork& work);

/// Adds the messages about a submission and the form to write one. `sent`: the visitor has just
/// sent a message.
void add_messages(xml_node main, Service& service, const Identity& who, const HandIn& hand_in,
                  bool sent);

/// Adds the part of a student's page about the document of an assignment: when it is due, how to
/// hand it in, its state and marks. Adds nothing if the assignment wants no document. `entry`: as
/// the student sees it. `complaint`: why the last document was refused.
void add_report(xml_node main, const Service& service, const Identity& who,
                const course::Assignment& assignment, const course::Owner& owner,
                const course::Entry* entry, const std::string& complaint = "");
/// The page of one document.
Response document(Service& service, const Visit& visit, const HandIn& hand_in);

/// Adds staff's form that makes this submission count in place of the rule, or returns to the rule.
void add_choice_of_submission(xml_node main, const Identity& who, const HandIn& hand_in,
                              const course::Entry& entry);

/// Adds the members of a submission's owner whom this reader may see, each as a link to the
/// student's page.
void link_owner(xml_node cell, const course::CourseFolder& folder, const Identity& who,
                const course::Submission& submission);

/// The fields of a form as a browser sent them.
using Sent = std::map<std::string, std::string>;

std::string hand_in_address(const HandIn& hand_in);

/// True if the submission has this line in a file that a stage takes.
bool has_line(const Service& service, const HandIn& hand_in, const std::string& file, int line);
/// The permanent address of a line of a submission.
std::string line_address(const HandIn& hand_in, const std::string& file, int line);

/// Adds staff's announcements to all students; on the page of an assignment also those about it.
void add_announcements(xml_node main, const Service& service, const std::string& assignment = "");

/// The address with the section that a reader chose. An empty section means the whole class.
std::string of_a_section(const std::string& address, const std::string& section);
/// Adds a page's links that show one section, or all.
void add_sections(xml_node parent, const course::Roster& roster, const std::string& address,
                  const std::string& chosen);

// A form around a table whose rows can be chosen, with buttons for the chosen rows. begin_choice()
// returns a null node if the visitor may do nothing with them.
bool may_choose(const Identity& who);
xml_node begin_choice(xml_node parent, const Identity& who);
/// Adds a row's checkbox. The same student may stand in several rows.
void add_tick(xml_node cell, const course::Student& student);
void end_choice(xml_node form, const Identity& who, const std::string& assignment = "");
/// The logins of the chosen rows, separated by commas.
std::string chosen_rows(const Request& request);

/// Adds the fields of an extension's form, without its students. `sent`: what the form had, if it
/// was refused.
void add_extension(xml_node form, const course::CourseFolder& folder, course::Moment now,
                   const Sent& sent);

inline constexpr const char* kConfirmation = "Accept this value though it is unusual";
/// Adds the reason why a form changed nothing; adds nothing if `complaint` is empty.
void add_complaint(xml_node main, const std::string& complaint);

/// Staff's page about the student in the address. `sent`: the fields of an extension that was
/// refused.
Response student_page(Service& service, const Visit& visit, const std::string& complaint,
                      const Sent& sent);

/// Adds a checkbox that confirms a value that looks like a typing mistake.
void add_confirmation(xml_node form);
std::vector<std::pair<std::string, std::string>> assignment_choices(
    const course::CourseFolder& folder);
/// The assignment that a form shows first: `asked` if it is given, else, of the assignments that
/// have opened, the one whose deadline is nearest, past or future.
std::string chosen_assignment(const course::CourseFolder& folder, const std::string& asked,
                              course::Moment now);

/// Adds "in 3 h 5 min", which a script counts down; adds nothing if the moment is over.
void add_countdown(xml_node parent, course::Moment until, course::Moment now);
/// What happens to a late submission, with the slip days that this owner has left.
std::string late_promise(const course::LateRule& rule, const course::Due& due);

/// "m1: Milestone 1".
std::string heading_of(const course::Assignment& assignment);

/// Adds a student's assignments with limits, queue and submissions. The address of an assignment is
/// `base` and its name.
void fill_home(xml_node main, Service& service, const Identity& student,
               const std::string& base = "/assignments/");
/// Why the last upload was refused; empty if none was.
struct Complaint {
  std::string text;
  bool of_report = false;  ///< the upload was a document, which has a form of its own
};
/// Adds the form to hand in, the history, the plot and the ranking. If `who` has no form key, the
/// forms do nothing: staff see the page as the student does.
void fill_assignment(xml_node main, Service& service, const Identity& who,
                     const course::Assignment& assignment, const Complaint& complaint = {});

}  // namespace opgrade::service::pages
