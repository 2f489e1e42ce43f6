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

/// The grader counts the processes that are there after a call: this one stays until its starter
/// ends it.
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
  // Here, because a constructor of the program may use the device, and before its handlers, so
  // that the driver's run after them.
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
  // After the handlers of the CUDA runtime that came with the program, and before those of its
  // main: at exit this one runs between them, when the runtime still answers.
  ::on_exit([](int, void*) { current->device_end_at_exit_ = current->device_end(); }, nullptr);
  send(reply);
  ::close(kControlFd);
  if (reply.status == Status::ok) run_step(run_.arm);
  await_end();
}

/// When the last handler has run, or at an end without handlers. The device's work is waited for,
/// and what is left of the process says nothing any more.
void ProgramProcess::end_program(int status, bool flush) {
  if (current != nullptr) current->over(status, flush);
}

void ProgramProcess::over(int status, bool flush) {
  const bool is_own = ::getpid() == process_;  // not one that the program started
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
