#include "grader/grading/run/received_reply.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "grader/base/core/finding_kind.hpp"
#include "grader/base/core/printable.hpp"

namespace opgrade {

ReceivedReply receive_reply(const Fd& socket, protocol::Kind expected) {
  protocol::Reply reply;
  const ssize_t received = ::recv(socket.get(), &reply, sizeof reply, 0);
  if (received != sizeof reply || reply.magic != protocol::kMagic || reply.kind != expected) {
    return {std::nullopt, received > 0};
  }
  reply.text[sizeof reply.text - 1] = '\0';
  return {reply, false};
}

ToldFindings receive_findings(const Fd& socket) {
  // A socket's buffer holds fewer packets. An empty packet is no end: a submission can send it.
  constexpr int kMostPackets = 4096;
  ToldFindings told;
  std::array<char, 1 << 14> packet;
  for (int i = 0; i < kMostPackets; ++i) {
    const ssize_t received = ::recv(socket.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0) break;
    const std::string_view text(packet.data(), static_cast<std::size_t>(received));
    if (text == R"({"complete":true})") {
      told.complete = true;
    } else if (!text.empty()) {
      told.packets.emplace_back(text);
    }
  }
  return told;
}

std::vector<Finding> parse_findings(const std::vector<std::string>& packets) {
  constexpr std::size_t kMostFindings = 50;
  std::vector<Finding> findings;
  for (const auto& packet : packets) {
    const auto entry = nlohmann::json::parse(packet, nullptr, false);
    if (!entry.is_object()) continue;
    const auto word = [&](const char* key) {
      const auto found = entry.find(key);
      return found != entry.end() && found->is_string()
                 ? printable_line(found->get<std::string>(), 400)
                 : std::string();
    };
    const auto line = entry.find("line");
    Finding fresh{word("kind"), word("kernel"), word("file"),
                  line != entry.end() && line->is_number_integer() ? line->get<int>() : 0,
                  word("message")};
    if (fresh.kind.empty()) continue;
    const auto known = std::ranges::find_if(findings, [&](const Finding& old) {
      return old.kind == fresh.kind && old.file == fresh.file && old.line == fresh.line;
    });
    if (known != findings.end()) {
      *known = std::move(fresh);
    } else {
      findings.push_back(std::move(fresh));
    }
  }
  sort_by_cause(findings);
  if (findings.size() > kMostFindings) findings.resize(kMostFindings);
  return findings;
}

}  // namespace opgrade
