/// A submission's failure that ended its session.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "grader/base/core/grade.hpp"
#include "grader/platform/harness/protocol.hpp"
#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {

/// Why a session ended before the grader ended it: a submission's failure, as a value.
struct SessionFailure {
  Outcome outcome = Outcome::crashed;
  Reason reason;
};

/// The state of a session whose process has ended.
struct EndedSession {
  bool started = false;                             ///< the harness ran
  bool over = false;                                ///< it ended before the grader ended it
  const std::optional<protocol::Reply>& bad_reply;  ///< the reply that ended it, if one did
  why::Ending during;                               ///< its step and operation: what was under way
  std::string_view buffers;                         ///< the task's word for its buffers, for hints
};

/// Returns nullopt if the submission did what it was asked. Throws Error if the sandbox did not
/// start.
std::optional<SessionFailure> failure_of(const EndedSession& session, const SandboxReport& report);

/// For an Error about a session of the grader's own: "crashed: no CUDA-capable device".
std::string in_brief(const std::optional<SessionFailure>& failure);

}  // namespace opgrade
