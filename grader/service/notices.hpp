/// Mails or webhooks for those who asked to be told when a grading is done.
#pragma once

#include <string>

#include "grader/service/queue.hpp"

namespace opgrade::course {
struct CourseFolder;
}

namespace opgrade::service {

bool wants_notices(const course::Store& store, const std::string& person);
void want_notices(const course::Store& store, const std::string& person, bool yes);

/// Tells the members of the owner who asked for it. `by` is a program that takes a mail as sendmail
/// does, or an address that gets JSON: person, email, submission, assignment and text. The text has
/// no points: mails are read by others. Returns a line for each failure.
std::vector<std::string> send_notices(const course::CourseFolder& folder,
                                      const course::Store& store, const HandIn& hand_in,
                                      const std::string& by);

}  // namespace opgrade::service
