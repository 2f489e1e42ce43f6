/// Answers in HTML, for browsers.
#pragma once

#include "grader/service/page.hpp"
#include "grader/service/status.hpp"

namespace opgrade::service::pages {

Response style(Service& service, const Visit& visit);
Response script(Service& service, const Visit& visit);
Response icon(Service& service, const Visit& visit);
Response login(Service& service, const Visit& visit);
Response log_in(Service& service, const Visit& visit);
Response log_out(Service& service, const Visit& visit);

Response home(Service& service, const Visit& visit);
Response assignment(Service& service, const Visit& visit);
Response hand_in(Service& service, const Visit& visit);
Response submission(Service& service, const Visit& visit);
Response report(Service& service, const Visit& visit);
Response cancel(Service& service, const Visit& visit);
Response ranking_name(Service& service, const Visit& visit);
Response notices(Service& service, const Visit& visit);

Response source(Service& service, const Visit& visit);
Response say(Service& service, const Visit& visit);
Response submissions(Service& service, const Visit& visit);
Response class_table(Service& service, const Visit& visit);
Response extensions(Service& service, const Visit& visit);
Response tokens(Service& service, const Visit& visit);
Response change_token(Service& service, const Visit& visit);
Response student(Service& service, const Visit& visit);
Response student_assignment(Service& service, const Visit& visit);
Response extend(Service& service, const Visit& visit);
Response gradebook(Service& service, const Visit& visit);
Response finals(Service& service, const Visit& visit);
Response rejudges(Service& service, const Visit& visit);
Response begin_rejudge(Service& service, const Visit& visit);
Response rejudge(Service& service, const Visit& visit);
Response apply_rejudge(Service& service, const Visit& visit);
Response cancel_rejudge(Service& service, const Visit& visit);
Response audit(Service& service, const Visit& visit);
Response set_points(Service& service, const Visit& visit);

/// Does what the API's `act` does, then shows the class again.
template <Response (*act)(Service& service, const Visit& visit)>
Response then_class(Service& service, const Visit& visit) {
  act(service, visit);
  return see_other("/staff");
}

/// What was written about a submission, and the form to write. `sent`: something was just now.
void add_messages(xml_node main, Service& service, const Identity& who, const HandIn& hand_in,
                  bool sent);

/// The members of a submission's owner, each with the page of the student.
void link_owner(xml_node cell, const course::CourseFolder& folder,
                const course::Submission& submission);

/// The fields of a form as a browser sent them.
using Sent = std::map<std::string, std::string>;

/// What an extension's form has beside its students. `sent`: after a refusal.
void add_extension(xml_node form, const course::CourseFolder& folder, const Sent& sent);

/// Why a form changed nothing; nothing where `complaint` is empty.
void add_complaint(xml_node main, const std::string& complaint);

/// Staff's page of the student in the address. `sent`: an extension that was refused.
Response student_page(Service& service, const Visit& visit, const std::string& complaint,
                      const Sent& sent);

/// The confirmation of what looks like a typing mistake.
void add_confirmation(xml_node form);
std::vector<std::pair<std::string, std::string>> assignment_choices(
    const course::CourseFolder& folder);

/// "m1: Milestone 1".
std::string heading_of(const course::Assignment& assignment);

/// A student's assignments with limits, queue and submissions. `base` and a name is the address of
/// an assignment.
void fill_home(xml_node main, Service& service, const Identity& student,
               const std::string& base = "/assignments/");
/// Hand-in, history, plot and ranking. The forms of one without a form key do nothing: staff see
/// them as the student does.
void fill_assignment(xml_node main, Service& service, const Identity& who,
                     const course::Assignment& assignment, const std::string& complaint = "");

}  // namespace opgrade::service::pages
