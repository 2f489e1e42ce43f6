// What a submission may write into the grader's socket. An input is a list of packets: one byte
// that chooses the request which the grader has just made, a length of two bytes, the packet.
#include <fcntl.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "grader/base/core/printable.hpp"
#include "grader/grading/measure/claims.hpp"
#include "grader/grading/run/received_reply.hpp"
#include "grader/grading/run/step_time.hpp"

using namespace opgrade;

namespace {

constexpr std::size_t kHead = 3;
constexpr std::uint8_t kKinds = static_cast<std::uint8_t>(protocol::Kind::finish) + 1;

bool is_printable(const std::string& text) {
  for (const unsigned char c : text) {
    if (c < 0x20 || c == 0x7f) return false;
  }
  return true;
}

void use(const protocol::Reply& reply) {
  if (!is_printable(printable_line(reply.text))) std::abort();
  StepTime time;
  take_claims(time, reply);
  // A claim that agrees is one that the grader's own clock allows.
  constexpr std::chrono::milliseconds kMeasured{1};
  if (agrees(time.harness, kMeasured) && time.harness > 2 * kMeasured) std::abort();
  StepTime sum = time;
  sum += time;
}

/// What is left in the socket, as findings.
void use_rest(const Fd& socket) {
  const auto findings = parse_findings(receive_findings(socket).packets);
  if (findings.size() > 50) std::abort();
  for (const auto& finding : findings) {
    if (!is_printable(finding.kind + finding.kernel + finding.file + finding.message)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
    std::abort();
  }
  const Fd ours(ends[0]);
  Fd theirs(ends[1]);
  std::vector<protocol::Kind> asked;
  for (std::size_t at = 0; at + kHead <= size;) {
    asked.push_back(static_cast<protocol::Kind>(bytes[at] % kKinds));
    const std::size_t length =
        std::min<std::size_t>(bytes[at + 1] | bytes[at + 2] << 8, size - at - kHead);
    // A full buffer is as good as a submission that sends no more.
    if (::send(theirs.get(), bytes + at + kHead, length, MSG_NOSIGNAL) < 0) break;
    at += kHead + length;
  }
  theirs.reset();
  for (const protocol::Kind kind : asked) {
    const ReceivedReply answer = receive_reply(ours, kind);
    if (answer.reply) use(*answer.reply);
  }
  use_rest(ours);
  return 0;
}
