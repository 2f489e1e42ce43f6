/// The process of one call of a program, whose `main` can run only once in a process.
#pragma once

#include <sys/types.h>

#include "grader/platform/harness/channel.hpp"
#include "grader/platform/harness/program_end.hpp"
#include "grader/platform/harness/protocol.hpp"
#include "grader/platform/harness/submission_server.hpp"

extern "C" {
/// Adapters find it by the name OPGRADE_PROGRAM_CALL.
extern const opgrade_call* opgrade_program_call;
}

namespace opgrade::harness {

/// One call of a program, as prepared by its starter.
struct ProgramRun {
  const char* path;                  ///< path of the submission
  const protocol::Request& tensors;  ///< the last `map` request
  Files files;                       ///< files of the last `map` request
  const protocol::Request& arm;
  int record;                 ///< file for what the device does; -1 if no profile is wanted
  int layers;                 ///< number of layers recorded before
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
