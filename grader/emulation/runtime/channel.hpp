/// The socket on which findings reach the grader as they happen.
#pragma once

#include <string>

namespace opgrade_emulation {

/// Sends one packet to the socket that OPGRADE_FINDINGS_FD names; nothing where it names none. A
/// sent packet stays sent, even if the process dies. A packet that cannot be sent ends the process:
/// without its findings a run must not look right.
void deliver(const std::string& packet);

}  // namespace opgrade_emulation
