// The program that runs inside the sandbox: loads a built submission and calls it as the grader
// asks. It shares its address space with the submission, so its replies are no evidence. It only
// needs to be small, fast and right for honest submissions.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "grader/platform/harness/channel.hpp"
#include "grader/platform/harness/device_start.hpp"
#include "grader/platform/harness/kept_file.hpp"
#include "grader/platform/harness/program_starter.hpp"
#include "grader/platform/harness/protocol.hpp"
#include "grader/platform/harness/submission_server.hpp"
#include "grader/platform/harness/unchecked_call.hpp"

namespace {

using namespace opgrade::protocol;
using namespace opgrade::harness;

/// Waits until the grader asks to load the submission, so that nothing of it runs before. For a
/// program, the process of each call starts the device.
void await_load(bool is_program) {
  send({.kind = Kind::started});
  for (;;) {
    Request request;
    Files none;
    if (!receive(request, none)) ::_exit(0);
    if (request.kind == Kind::load) return;
    if (request.kind != Kind::start_device) ::_exit(0);
    if (!is_program) start_device();
    send({.kind = Kind::start_device});
  }
}

CallPage* map_page() {
  void* const page =
      ::mmap(nullptr, sizeof(CallPage), PROT_READ | PROT_WRITE, MAP_SHARED, kPageFd, 0);
  if (page == MAP_FAILED) ::_exit(0);
  return static_cast<CallPage*>(page);
}

/// If memory is limited per process, stacks count in full, used or not. By default each would be as
/// large as the sandbox's limit on the first thread's stack.
void limit_thread_stacks() {
  constexpr std::size_t kStack = std::size_t{8} << 20;  // Linux' usual `ulimit -s`
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  ::pthread_attr_setstacksize(&attributes, kStack);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kServing = 2, kServingProgram = 3, kAlone = 4, kLeastUnderTool = 6;
  if (argc >= kLeastUnderTool && std::strcmp(argv[1], kUnderTool) == 0)
    return run_and_keep(argv + 2);
  const bool is_program = argc == kServingProgram && std::strcmp(argv[1], kProgram) == 0;
  if (argc != kServing && !is_program && argc != kAlone) {
    std::fputs(
        "opgrade-harness is started by opgrade, not by hand: opgrade-harness [--program] "
        "SUBMISSION.so, opgrade-harness SUBMISSION.so SIZES BYTES for one unchecked call, or "
        "opgrade-harness --under-tool DESCRIPTOR BYTES FILE TOOL... to keep the tool's file\n",
        stderr);
    return 2;
  }
  if (argc == kAlone) return unchecked_call(argv[1], argv[2], argv[3]);
  if (std::strcmp(argv[1], "--try-device") == 0) return try_device();
  limit_thread_stacks();
  await_load(is_program);
  CallPage* const page = map_page();
  Reply reply{.kind = Kind::ready};
  if (is_program) {
    send(reply);
    ProgramStarter(argv[2], page).serve();
  } else {
    SubmissionServer server(page);
    server.load(argv[1], reply);
    send(reply);
    server.serve();
  }
  // Skips the submission's atexit handlers and destructors.
  std::fflush(nullptr);
  ::_exit(0);
}
