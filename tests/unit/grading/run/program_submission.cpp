// A built program for the session tests: its second input says what it does.
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "grader/platform/harness/submission_abi.h"
#include "tests/unit/grading/run/program_acts.hpp"

namespace {

using opgrade::test::ProgramAct;

int runs = 0;
float written = 0;  ///< stands for the file that the program writes

/// As a static object of a program: it writes the last of the file.
struct AtTheEnd {
  ~AtTheEnd() { ++written; }
} at_the_end;

int main_of(ProgramAct act) {
  ++runs;
  switch (act) {
    case ProgramAct::honest:
      break;
    case ProgramAct::returns_one:
      return 1;
    case ProgramAct::crashes:
      std::raise(SIGSEGV);
      break;
    case ProgramAct::vanishes:
      ::syscall(SYS_exit_group, 0);
      break;
    case ProgramAct::leaves_child:
      if (::fork() == 0)
        for (;;) ::pause();
      break;
    case ProgramAct::helper_ends_first:
      if (::fork() == 0) std::exit(0);
      ::usleep(20'000);
      break;
  }
  written += static_cast<float>(runs);
  return 0;
}

void forward(opgrade_call* call) {
  std::exit(main_of(static_cast<ProgramAct>(static_cast<int>(call->buffer[1][0]))));
}

void collect(opgrade_call* call, int status) {
  if (status == 0) call->buffer[0][0] = written + call->buffer[1][1];
}

constexpr opgrade_submission kSubmission = {
    .abi_version = OPGRADE_ABI_VERSION, .forward = forward, .collect = collect};

}  // namespace

OPGRADE_EXPORT(kSubmission)
