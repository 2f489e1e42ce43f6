/// Messages that students, staff and the service write about a submission.
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
  bool staff = false;  ///< false: written by the owner, who asks for an answer
  std::string text;
  /// A file of the submission, if the message is about a line of it; else empty.
  std::string file{};
  int line = 0;  ///< from 1
  /// The item or group of a document's rubric that the message is about; else empty.
  std::string item{};
};

/// Adds a message, with a line in the audit log. The text is made printable and cut at kMaxMessage.
void add_message(Service& service, const Message& message, const std::string& address);
/// All messages about a submission, in the order of time.
std::vector<Message> messages_of(const Service& service, std::int64_t submission);
/// The last message of each submission that has one. If a student wrote it, staff should answer.
std::map<std::int64_t, Message> last_messages(const Service& service);

// Mails or webhooks for students who want a notice when a grading is done.
bool wants_notices(const course::Store& store, const std::string& person);
void want_notices(const course::Store& store, const std::string& person, bool yes);

/// Sends notices to those members of the owner who want them. `by` is a program that reads a mail
/// like sendmail, or an address that gets JSON: person, email, submission, assignment and text. The
/// text has no points, because others may read mails. Returns a line for each failure.
std::vector<std::string> send_notices(const course::CourseFolder& folder,
                                      const course::Store& store, const HandIn& hand_in,
                                      const std::string& by);

}  // namespace opgrade::service
