/// What students and staff write to each other about a submission, and what the service writes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "grader/service/state/service.hpp"

namespace opgrade::service {

inline constexpr std::size_t kMaxMessage = 2000;  ///< bytes

struct Message {
  std::int64_t submission = 0;
  course::Moment at;
  std::string who;
  bool staff = false;  ///< false: of the owner, who asks for another look
  std::string text;
  std::string file{};  ///< of the submission: the comment stands at a line of it; or empty
  int line = 0;        ///< from 1
  std::string item{};  ///< of a document's rubric, or one of its groups; or empty
};

/// With a line of the audit log. The text is made printable and cut at kMaxMessage.
void add_message(Service& service, const Message& message, const std::string& address);
/// In the order of time.
std::vector<Message> messages_of(const Service& service, std::int64_t submission);
/// The last message of each submission that has one. One of a student asks staff for an answer.
std::map<std::int64_t, Message> last_messages(const Service& service);

// Mails or webhooks for those who asked to be told when a grading is done.
bool wants_notices(const course::Store& store, const std::string& person);
void want_notices(const course::Store& store, const std::string& person, bool yes);

/// Tells the members of the owner who asked for it. `by` is a program that takes a mail as sendmail
/// does, or an address that gets JSON: person, email, submission, assignment and text. The text has
/// no points: mails are read by others. Returns a line for each failure.
std::vector<std::string> send_notices(const course::CourseFolder& folder,
                                      const course::Store& store, const HandIn& hand_in,
                                      const std::string& by);

}  // namespace opgrade::service
