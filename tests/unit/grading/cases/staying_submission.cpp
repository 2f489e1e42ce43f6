// A submission whose behaviour depends on how many calls its process has had. The width of x says
// how: see StageProcessTest.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "grader/task/conv/adapters/conv_call.h"
#include "tests/unit/grading/cases/staying.hpp"

namespace {

using opgrade::test::Staying;

int calls = 0;
std::FILE* last_words = nullptr;
std::function<void()> rest;  // that is done when the function has returned

/// More than the limit on what a submission may print.
ssize_t print_too_much(void*, const char*, std::size_t) {
  static const std::array<char, 1 << 16> part{};
  while (::write(STDOUT_FILENO, part.data(), part.size()) > 0) {
  }
  return 0;
}

/// Written when the harness writes out what was printed: leaves something for the next time.
ssize_t prepare_to_leave(void*, const char*, std::size_t bytes) {
  std::fputs("over", last_words);
  return static_cast<ssize_t>(bytes);
}

void forward(opgrade_call* call) {
  const opgrade_conv c(call);
  std::printf("call %d\n", ++calls);
  float factor = c.k[0];
  switch (static_cast<Staying>(c.W)) {
    case Staying::right:
    case Staying::copies_later:
    case Staying::works_on:
    case Staying::answers_from_memory:
      break;
    case Staying::right_once:
      if (calls > 1) factor += 1;
      break;
    case Staying::wrong:
      factor += 1;
      break;
    case Staying::exits_later:
      if (calls > 1) ::_exit(7);
      break;
    case Staying::fails_at_the_end: {
      // fflush(nullptr) begins with the stream that was opened last.
      std::FILE* const first = ::fopencookie(nullptr, "w", {.write = prepare_to_leave});
      last_words = ::fopencookie(nullptr, "w", {.write = print_too_much});
      std::fputs("x", first);
      break;
    }
  }
  const int size = c.B * c.H * c.W;
  if (static_cast<Staying>(c.W) == Staying::answers_from_memory) {
    static const std::vector<float> first(c.x, c.x + size);
    for (int i = 0; i < size; ++i) c.y[i] = factor * first[static_cast<std::size_t>(i)];
    return;
  }
  const auto write = [c, factor, size] {
    for (int i = 0; i < size; ++i) c.y[i] = factor * c.x[i];
  };
  const bool later = static_cast<Staying>(c.W) == Staying::copies_later && calls == 2;
  if (!later) write();
  if (later || (static_cast<Staying>(c.W) == Staying::works_on && calls == 2)) {
    rest = [write, later] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      if (later) write();
    };
  }
}

int synchronize(const char**) {
  if (const auto last = std::exchange(rest, nullptr)) last();
  return 0;
}

constexpr opgrade_submission kSubmission = {
    .abi_version = OPGRADE_ABI_VERSION, .forward = forward, .synchronize = synchronize};

}  // namespace

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(
    void) {
  return &kSubmission;
}
