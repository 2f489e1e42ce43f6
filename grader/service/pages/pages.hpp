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

/// Does what the API's `act` does, then shows the class again.
template <Answer act>
Response then_class(Service& service, const Visit& visit) {
  act(service, visit);
  return see_other("/staff");
}

/// "passed, 80 of 100 points, -10 % of the points (1 day late); counts".
report::Cell verdict_of(const course::Entry* entry, const HandIn& hand_in);

/// "in time", or how long after the deadline.
std::string late_text(const course::Lateness& late);

/// The gradebook's own number, with how it came about where `whole`.
void add_grade(xml_node parent, const course::CourseFolder& folder, const course::Entry& entry,
               course::Moment now, bool whole);

/// The newest first; the one that counts is marked.
void add_history(xml_node parent, const course::CourseFolder& folder, const course::Entry* entry,
                 const std::vector<HandIn>& all);

/// Over the submissions: the Op Time where the assignment ranks it openly; else points.
void add_attempts(xml_node parent, const Service& service, const course::Entry& entry,
                  const std::vector<HandIn>& all);

/// Reads the files of a submission as its stages take them.
report::SourceOf source_of(const Service& service, const HandIn& hand_in);

/// A line of two texts.
struct DifferenceLine {
  enum class Side { both, before, after };
  Side side = Side::both;
  std::string text;
};

/// What the comparisons of one answer may cost together: products of numbers of lines.
struct DifferenceWork {
  std::size_t left = 4'000'000;
};

/// The fewest lines that change; of texts that cost more than is left, all lines of one and then
/// all of the other.
std::vector<DifferenceLine> line_difference(const std::string& before, const std::string& after,
                                            DifferenceWork& work);

/// What was written about a submission, and the form to write. `sent`: something was just now.
void add_messages(xml_node main, Service& service, const Identity& who, const HandIn& hand_in,
                  bool sent);

/// The document of an assignment for its student: when, how, what became of it. Nothing if the
/// assignment wants none. `entry`: as the student sees it. `complaint`: why the last one was not
/// taken.
void add_report(xml_node main, const Service& service, const Identity& who,
                const course::Assignment& assignment, const course::Owner& owner,
                const course::Entry* entry, const std::string& complaint = "");
/// The page of one document.
Response document(Service& service, const Visit& visit, const HandIn& hand_in);

/// Staff's form by which this submission counts, whatever the rule says, or the rule again.
void add_choice_of_submission(xml_node main, const Identity& who, const HandIn& hand_in,
                              const course::Entry& entry);

/// The members of a submission's owner whom this reader may see, each with the page of the student.
void link_owner(xml_node cell, const course::CourseFolder& folder, const Identity& who,
                const course::Submission& submission);

/// The fields of a form as a browser sent them.
using Sent = std::map<std::string, std::string>;

std::string hand_in_address(const HandIn& hand_in);

/// True if the submission has this line in a file that a stage takes.
bool has_line(const Service& service, const HandIn& hand_in, const std::string& file, int line);
/// The permanent address of a line of a submission.
std::string line_address(const HandIn& hand_in, const std::string& file, int line);

/// What staff tell all students: on the page of an assignment what is for it, too.
void add_announcements(xml_node main, const Service& service, const std::string& assignment = "");

/// The address with the section that a reader chose; an empty one is all of the class.
std::string of_a_section(const std::string& address, const std::string& section);
/// The links of a page that show one section, or all.
void add_sections(xml_node parent, const course::Roster& roster, const std::string& address,
                  const std::string& chosen);

// A form around a table whose rows can be chosen, and what is done with those that are; a null node
// for staff who may do nothing with them.
bool may_choose(const Identity& who);
xml_node begin_choice(xml_node parent, const Identity& who);
/// A row's tick. The same student may stand in several rows.
void add_tick(xml_node cell, const course::Student& student);
void end_choice(xml_node form, const Identity& who, const std::string& assignment = "");
/// The logins of the rows that were chosen, with commas.
std::string chosen_rows(const Request& request);

/// What an extension's form has beside its students. `sent`: after a refusal.
void add_extension(xml_node form, const course::CourseFolder& folder, course::Moment now,
                   const Sent& sent);

/// Why a form changed nothing; nothing where `complaint` is empty.
inline constexpr const char* kConfirmation = "Accept this value though it is unusual";
void add_complaint(xml_node main, const std::string& complaint);

/// Staff's page of the student in the address. `sent`: an extension that was refused.
Response student_page(Service& service, const Visit& visit, const std::string& complaint,
                      const Sent& sent);

/// The confirmation of what looks like a typing mistake.
void add_confirmation(xml_node form);
std::vector<std::pair<std::string, std::string>> assignment_choices(
    const course::CourseFolder& folder);
/// What a form shows first: the assignment that was asked for, or else, of those that have opened,
/// the one whose deadline is nearest, past or to come.
std::string chosen_assignment(const course::CourseFolder& folder, const std::string& asked,
                              course::Moment now);

/// "in 3 h 5 min", which a script counts down; nothing if the moment is over.
void add_countdown(xml_node parent, course::Moment until, course::Moment now);
/// What becomes of a late submission, with the slip days that this owner has left.
std::string late_promise(const course::LateRule& rule, const course::Due& due);

/// "m1: Milestone 1".
std::string heading_of(const course::Assignment& assignment);

/// A student's assignments with limits, queue and submissions. `base` and a name is the address of
/// an assignment.
void fill_home(xml_node main, Service& service, const Identity& student,
               const std::string& base = "/assignments/");
/// Why the last upload was not taken; empty if there was none.
struct Complaint {
  std::string text;
  bool of_report = false;  ///< it was the document's, which has a form of its own
};
/// Hand-in, history, plot and ranking. The forms of one without a form key do nothing: staff see
/// them as the student does.
void fill_assignment(xml_node main, Service& service, const Identity& who,
                     const course::Assignment& assignment, const Complaint& complaint = {});

}  // namespace opgrade::service::pages
