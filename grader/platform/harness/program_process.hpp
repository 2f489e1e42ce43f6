/// The process of one call of a program, whose `main` runs once a process.
#pragma once

#include <sys/types.h>

#include "grader/platform/harness/channel.hpp"
#include "grader/platform/harness/program_end.hpp"
#include "grader/platform/harness/protocol.hpp"
#include "grader/platform/harness/submission_server.hpp"

extern "C" {
/// Known to adapters by the name OPGRADE_PROGRAM_CALL.
extern const opgrade_call* opgrade_program_call;
}

namespace opgrade::harness {

/// One call of a program, as its starter prepares it.
struct ProgramRun {
  const char* path;                  ///< the submission
  const protocol::Request& tensors;  ///< the last `map`
  Files files;                       ///< that came with it
  const protocol::Request& arm;
  int record;                 ///< takes what the device does; -1: no profile was asked for
  int layers;                 ///< recorded before
  protocol::Reply& recorded;  ///< shared with the starter: whether recording failed
  ProgramFolder folder{};
};

class ProgramProcess : private SubmissionServer {
 public:
  ProgramProcess(protocol::CallPage* page, ProgramRun& run);

  /// Loads the program, waits for the start of the call, and ends as the program does.
  [[noreturn]] void run();

 private:
  static void end_program(int status, bool flush);
  void over(int status, bool flush);

  ProgramRun& run_;
  const pid_t process_;
  bool is_over_ = false;
};

}  // namespace opgrade::harness
