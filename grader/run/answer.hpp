/// Reads what comes out of the socket of the submission's process: any bytes are survived, none are
/// believed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/core/fd.hpp"
#include "grader/core/grade.hpp"
#include "grader/harness/protocol.hpp"

namespace opgrade {

struct Answer {
  std::optional<protocol::Reply> reply;  ///< its text ends with a zero
  bool spoiled = false;                  ///< something came that the harness never sends
};

/// The next packet, if it is a reply to a request of this kind. No reply and nothing spoiled: the
/// other end is closed.
Answer receive_reply(const Fd& socket, protocol::Kind expected);

/// The packet of findings that `head` announces; empty when there is none or it is too long.
std::string receive_findings(const Fd& socket, const protocol::Reply& head);

/// The emulated device's findings, 50 at most. Anything unexpected in them is dropped, and texts
/// are made printable.
std::vector<Finding> parse_findings(const std::string& text);

}  // namespace opgrade
