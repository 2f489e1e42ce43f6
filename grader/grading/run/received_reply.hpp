/// Reads replies from the socket of the submission's process: any bytes are handled, none are
/// trusted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/fd.hpp"
#include "grader/base/core/grade.hpp"
#include "grader/platform/harness/protocol.hpp"

namespace opgrade {

struct ReceivedReply {
  std::optional<protocol::Reply> reply;  ///< its text ends with a zero
  bool spoiled = false;                  ///< something came that the harness never sends
};

/// The next packet, if it is a reply to a request of this kind. If there is no reply and nothing is
/// spoiled, the other end is closed.
ReceivedReply receive_reply(const Fd& socket, protocol::Kind expected);

/// The emulated device's findings on a run.
struct ToldFindings {
  std::vector<std::string> packets;
  bool complete = false;  ///< the emulated device said that this is all
};

/// Receives all that waits in the socket.
ToldFindings receive_findings(const Fd& socket);

/// The findings in the packets: at most 50, those that decide first. If several tell of the same
/// kind and line, the last one counts. Anything unexpected is dropped, and texts are made
/// printable.
std::vector<Finding> parse_findings(const std::vector<std::string>& packets);

}  // namespace opgrade
