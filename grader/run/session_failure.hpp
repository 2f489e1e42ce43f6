/// A submission's failure that ended its session: the reason and the hint of its verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "grader/core/grade.hpp"
#include "grader/harness/protocol.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

/// Why a session ended before the grader ended it: a submission's failure, as a value.
struct SessionFailure {
  Outcome outcome = Outcome::crashed;
  std::string reason;
  std::string hint;
};

/// The state of a session whose process has ended.
struct EndedSession {
  bool started = false;                             ///< the harness ran
  bool over = false;                                ///< before the grader ended it
  const std::optional<protocol::Reply>& bad_reply;  ///< that ended it
  std::string_view doing;                           ///< what was under way, in words
  std::string_view buffers;                         ///< the task's, for hints
};

/// Nothing where the submission did what it was asked. Throws Error where the sandbox did not
/// start.
std::optional<SessionFailure> failure_of(const EndedSession& session, const SandboxReport& report);

}  // namespace opgrade
