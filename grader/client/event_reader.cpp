#include "grader/client/event_reader.hpp"

namespace opgrade::client {

bool EventReader::read(std::string_view piece) {
  constexpr std::size_t kLongest = 1 << 20;
  left_ += piece;
  std::size_t begin = 0;
  for (std::size_t end; (end = left_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    std::string_view text = std::string_view(left_).substr(begin, end - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    line(text);
  }
  left_.erase(0, begin);
  return left_.size() + event_.data.size() < kLongest;
}

void EventReader::line(std::string_view text) {
  if (text.empty()) {
    if (!event_.data.empty() || !event_.kind.empty()) take_(event_);
    event_ = {};
    return;
  }
  const auto colon = text.find(':');
  if (colon == 0) return;  // a comment, which keeps the connection open
  const std::string_view name = text.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "id") event_.id = value;
  if (name == "event") event_.kind = value;
  if (name == "data") {
    if (!event_.data.empty()) event_.data += '\n';
    event_.data += value;
  }
}

}  // namespace opgrade::client
