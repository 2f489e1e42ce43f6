// A built submission for the session tests, hostile on demand.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <thread>

#include "grader/harness/protocol.hpp"
#include "grader/harness/submission_abi.h"
#include "tests/unit/run/acts.hpp"

namespace {

using namespace opgrade::protocol;
using opgrade::test::Act;

const char* found = nullptr;

void work(float* y, const float* x, int count) {
  ::usleep(20'000);
  for (int i = 0; i < count; ++i) y[i] = 2 * x[i];
}

int elements(const opgrade_conv& c) { return c.B * c.M * (c.H - c.K + 1) * (c.W - c.K + 1); }

void answer(Kind kind) {
  Reply reply;
  reply.kind = kind;
  reply.elapsed_ns = 1000;
  ::send(kControlFd, &reply, sizeof reply, 0);
}

/// Answers in the harness's place from now on, the step under way first. With `ahead`, the work of
/// each call is done before it: the input is in x before the grader says so, and it waits for some
/// answers that it does not time.
void take_over(Kind first, opgrade_conv* ahead = nullptr) {
  answer(first);
  bool done = ahead == nullptr;
  for (Request request; ::recv(kControlFd, &request, sizeof request, 0) == sizeof request;) {
    if (request.kind == Kind::finish) break;
    if (request.kind != Kind::forward && !done) {
      work(ahead->y, ahead->x, elements(*ahead));
      done = true;
    }
    if (request.kind == Kind::forward) done = ahead == nullptr;
    answer(request.kind);
  }
  ::_exit(0);
}

void prolog(opgrade_conv* c) {
  if (static_cast<Act>(static_cast<int>(c->k[0])) != Act::shortens_prolog) return;
  work(c->y, c->x, elements(*c));
  take_over(Kind::prolog);
}

void forward(opgrade_conv* c) {
  switch (static_cast<Act>(static_cast<int>(c->k[0]))) {
    case Act::honest:
    case Act::shortens_prolog:
      break;
    case Act::throws:
      found = "[{}]";
      throw std::runtime_error("on purpose");
    case Act::exits:
      ::_exit(7);
    case Act::forges_reply:
      answer(Kind::forward);
      break;
    case Act::takes_over:
      work(c->y, c->x, elements(*c));
      take_over(Kind::forward, c);
      break;
    case Act::works_later:
      std::thread([c = *c] {
        ::usleep(100'000);
        work(c.y, c.x, elements(c));
      }).detach();
      return;
    case Act::sends_garbage:
      ::send(kControlFd, "passed", 6, 0);
      break;
    case Act::hangs_up:
      ::close(kControlFd);
      for (;;) ::pause();
    case Act::hides_in_vfork:
      // The parent waits in the kernel for ever; the child comes back from here in its place.
      ::syscall(58 /* vfork */);
      break;
    case Act::writes_input:
      const_cast<float*>(c->x)[0] = 5;
      break;
    case Act::leaves_child:
      if (::fork() == 0) {
        ::setsid();
        for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_IGN);
        for (;;) ::pause();
      }
      break;
    case Act::leaves_worker:
      if (::fork() == 0) {
        for (;;) {
        }
      }
      answer(Kind::forward);
      ::pause();
      break;
    case Act::fills_tables:
      ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
      std::thread([] {
        ::mmap(nullptr, 1UL << 40, PROT_READ,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE, -1, 0);
      }).detach();
      ::usleep(100'000);  // the thread is in its call
      break;
  }
  work(c->y, c->x, elements(*c));
}

const opgrade_submission kSubmission = {.abi_version = OPGRADE_ABI_VERSION,
                                        .prolog = prolog,
                                        .forward = forward,
                                        .touch = [] {},  // as a GPU's adapter has it
                                        .findings = [] { return found; }};

}  // namespace

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(
    void) {
  return &kSubmission;
}
