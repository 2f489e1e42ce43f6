// A built submission for the session tests, hostile on demand.
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "grader/platform/harness/protocol.hpp"
#include "grader/task/conv/adapters/conv_call.h"
#include "tests/unit/grading/run/acts.hpp"

namespace {

using namespace opgrade::protocol;
using opgrade::test::Act;

bool found = false;

void tell(const char* packet) { ::send(kFindingsFd, packet, std::strlen(packet), 0); }

void work(float* y, const float* x, int count) {
  ::usleep(20'000);
  for (int i = 0; i < count; ++i) y[i] = 2 * x[i];
}

/// As soon as it is loaded.
[[gnu::constructor]] void say_loaded() {
  if (std::getenv("SAY_LOADED") != nullptr) std::puts("loaded");
}

int elements(const opgrade_conv& c) { return c.B * c.M * (c.H - c.K + 1) * (c.W - c.K + 1); }

void answer(Kind kind) {
  Reply reply;
  reply.kind = kind;
  reply.elapsed_ns = 1000;
  ::send(kControlFd, &reply, sizeof reply, 0);
}

CallPage* page() {
  static void* const mapped =
      ::mmap(nullptr, sizeof(CallPage), PROT_READ | PROT_WRITE, MAP_SHARED, kPageFd, 0);
  return static_cast<CallPage*>(mapped);
}

/// Says that the step under way is done, in a microsecond.
void say_done(Kind step) {
  page()->reply = {.kind = step, .elapsed_ns = 1000};
  page()->done.store(page()->go.load());
  ::syscall(SYS_futex, &page()->done, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// All of them wait until the last has started.
void start_threads(int count) {
  std::vector<std::thread> threads;
  std::atomic<bool> go{false};
  const auto join = [&] {
    go = true;
    for (auto& thread : threads) thread.join();
  };
  try {
    for (int i = 0; i < count; ++i)
      threads.emplace_back([&go] {
        while (!go) ::usleep(1000);
      });
  } catch (...) {
    join();
    throw;
  }
  join();
}

std::optional<opgrade_conv> waiting;  ///< the call, where the wait for the device does the rest

int wait_for_device(const char**) {
  if (!waiting || page()->done.load() != page()->go.load()) return 0;
  if (static_cast<Act>(static_cast<int>(waiting->k[0])) == Act::exits_in_wait) ::_exit(7);
  work(waiting->y, waiting->x, elements(*waiting));
  return 0;
}

void prolog(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  if (static_cast<Act>(static_cast<int>(c->k[0])) != Act::shortens_prolog) return;
  work(c->y, c->x, elements(*c));
  say_done(Kind::prolog);
  for (;;) ::pause();
}

void forward(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  switch (static_cast<Act>(static_cast<int>(c->k[0]))) {
    case Act::honest:
    case Act::shortens_prolog:
      break;
    case Act::throws:
      found = true;
      tell("{\"at\":\"once\"}");
      throw std::runtime_error("on purpose");
    case Act::exits:
      tell("{\"at\":\"once\"}");
      std::fputs("begun\nCUDA error: \a bad launch\n\n", stderr);
      ::_exit(7);
    case Act::forges_reply:
      answer(Kind::forward);
      break;
    case Act::done_early:
      say_done(Kind::forward);
      break;
    case Act::forges_page: {
      work(c->y, c->x, elements(*c));
      std::memset(static_cast<void*>(&page()->reply), 0x5a, sizeof(Reply));
      page()->done.store(page()->go.load());
      for (;;) ::pause();
    }
    case Act::works_in_wait:
    case Act::exits_in_wait:
      waiting.emplace(*c);
      return;
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
    case Act::ends_slowly:
      ::close(kControlFd);
      ::usleep(500'000);
      ::abort();
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
      say_done(Kind::forward);
      for (;;) ::pause();
    case Act::fills_tables:
      ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
      std::thread([] {
        ::mmap(nullptr, 1UL << 40, PROT_READ,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE, -1, 0);
      }).detach();
      ::usleep(100'000);  // the thread is in its call
      break;
    case Act::hundred_threads:
      start_threads(100);
      break;
    case Act::endless_threads:
      start_threads(1'000'000);
      break;
    case Act::aborts_for_want_of_threads:
      std::fputs("libgomp: Thread creation failed: Resource temporarily unavailable\n", stderr);
      std::abort();
  }
  work(c->y, c->x, elements(*c));
}

const opgrade_submission kSubmission = {.abi_version = OPGRADE_ABI_VERSION,
                                        .prolog = prolog,
                                        .forward = forward,
                                        .synchronize = wait_for_device,
                                        .touch = [] {},  // as a GPU's adapter has it
                                        .findings = []() -> const char* {
                                          if (found) tell("{\"at\":\"end\"}");
                                          tell("{\"complete\":true}");
                                          return "[]";
                                        }};

}  // namespace

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(
    void) {
  return &kSubmission;
}
