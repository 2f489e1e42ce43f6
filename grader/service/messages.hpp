/// What students and staff write to each other about a submission.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "grader/service/service.hpp"

namespace opgrade::service {

inline constexpr std::size_t kMaxMessage = 2000;  ///< bytes

struct Message {
  std::int64_t submission = 0;
  course::Moment at;
  std::string who;
  bool staff = false;  ///< false: of the owner, who asks for another look
  std::string text;
};

/// With a line of the audit log. The text is made printable and cut at kMaxMessage.
void add_message(Service& service, const Message& message, const std::string& address);
/// In the order of time.
std::vector<Message> messages_of(const Service& service, std::int64_t submission);
/// The last message of each submission that has one. One of a student asks staff for an answer.
std::map<std::int64_t, Message> last_messages(const Service& service);

}  // namespace opgrade::service
