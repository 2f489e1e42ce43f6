/// Serves the grader's requests for a program, whose `main` runs once a process.
#pragma once

#include <sys/types.h>

#include "grader/platform/harness/channel.hpp"
#include "grader/platform/harness/protocol.hpp"

namespace opgrade::harness {

/// Never loads the program itself. For each call, starts a process that loads the program, makes
/// the call, and ends, so no call can leave anything for the next.
class ProgramStarter {
 public:
  ProgramStarter(const char* path, protocol::CallPage* page);

  /// Answers requests until the grader hangs up or asks to finish.
  void serve();

 private:
  void run(const protocol::Request& arm);
  void begin_profile();
  void end_profile(int file, protocol::Reply& reply);

  const char* const path_;
  protocol::CallPage* const page_;
  protocol::Request tensors_;
  Files files_;
  int record_ = -1;
  int layers_ = 0;
  protocol::Reply* const recorded_;  ///< the processes write here why there is no profile
};

}  // namespace opgrade::harness
