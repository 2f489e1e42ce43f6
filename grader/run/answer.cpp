#include "grader/run/answer.hpp"

#include <sys/socket.h>

#include <nlohmann/json.hpp>

#include "grader/core/printable.hpp"

namespace opgrade {

Answer receive_reply(const Fd& socket, protocol::Kind expected) {
  protocol::Reply reply;
  const ssize_t received = ::recv(socket.get(), &reply, sizeof reply, 0);
  if (received != sizeof reply || reply.magic != protocol::kMagic || reply.kind != expected) {
    return {std::nullopt, received > 0};
  }
  reply.text[sizeof reply.text - 1] = '\0';
  return {reply, false};
}

std::string receive_findings(const Fd& socket, const protocol::Reply& head) {
  if (head.length == 0 || head.length > protocol::kMaxFindings) return {};
  std::string text(head.length, '\0');
  const ssize_t received = ::recv(socket.get(), text.data(), text.size(), 0);
  text.resize(received > 0 ? static_cast<std::size_t>(received) : 0);
  return text;
}

std::vector<Finding> parse_findings(const std::string& text) {
  constexpr std::size_t kMostFindings = 50;
  std::vector<Finding> findings;
  const auto list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) return findings;
  for (const auto& entry : list) {
    if (!entry.is_object() || findings.size() == kMostFindings) continue;
    const auto word = [&](const char* key) {
      const auto found = entry.find(key);
      return found != entry.end() && found->is_string()
                 ? printable_line(found->get<std::string>(), 400)
                 : std::string();
    };
    const auto line = entry.find("line");
    findings.push_back({word("kind"), word("kernel"), word("file"),
                        line != entry.end() && line->is_number_integer() ? line->get<int>() : 0,
                        word("message")});
  }
  return findings;
}

}  // namespace opgrade
