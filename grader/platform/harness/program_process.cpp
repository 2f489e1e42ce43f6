#include "grader/platform/harness/program_process.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "grader/platform/harness/device_start.hpp"

extern "C" {
__attribute__((visibility("default"))) const opgrade_call* opgrade_program_call = nullptr;
}

namespace opgrade::harness {

using namespace protocol;

namespace {

ProgramProcess* current = nullptr;

/// Waits until the starter ends this process, because the grader counts the processes that exist
/// after a call.
[[noreturn]] void await_end() {
  for (;;) ::pause();
}

}  // namespace

ProgramProcess::ProgramProcess(CallPage* page, ProgramRun& run)
    : SubmissionServer(page, Form::program), run_(run), process_(::getpid()) {
  current = this;
}

void ProgramProcess::run() {
  Reply reply{.kind = Kind::arm};
  // Starts the device before the program is loaded, because a constructor of the program may use
  // it. The driver's handlers are registered first, so they run after the program's.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  start_device();
  ::on_exit([](int status, void*) { end_program(status, true); }, nullptr);
  map(run_.tensors, run_.files, reply);
  call_.over = [](int status) { end_program(status, false); };
  opgrade_program_call = &call_;
  if (reply.status == Status::ok && !run_.folder.enter())
    fail(reply, Status::bad_request, "cannot make a folder for the program's files");
  if (reply.status == Status::ok) load(run_.path, reply);
  if (reply.status == Status::ok && run_.record >= 0) begin_profile(run_.recorded, run_.layers);
  if (reply.status == Status::ok) prepare(run_.arm.step, reply);
  // This handler is registered after those of the program's CUDA runtime and before those of its
  // main. So at exit it runs between them, while the runtime still answers.
  ::on_exit([](int, void*) { current->device_end_at_exit_ = current->device_end(); }, nullptr);
  send(reply);
  ::close(kControlFd);
  if (reply.status == Status::ok) run_step(run_.arm);
  await_end();
}

/// Called when the last handler has run, or at an end without handlers. Waits for the device's
/// work; nothing that the process does later counts.
void ProgramProcess::end_program(int status, bool flush) {
  if (current != nullptr) current->over(status, flush);
}

void ProgramProcess::over(int status, bool flush) {
  const bool is_own = ::getpid() == process_;  // false in a process that the program started
  if (!is_own || std::exchange(is_over_, true)) return;
  if (flush) {
    run_final_functions(library_);
    std::fflush(nullptr);
  }
  submission_->collect(&call_, status);
  Reply reply{.kind = run_.arm.step};
  step_over(reply);
  if (run_.record >= 0) end_profile(run_.recorded, run_.record);
  complete(reply, run_.arm.sequence);
  await_end();
}

}  // namespace opgrade::harness
