// A built submission that answers every call with the input that it saw first: a thread waits for
// the descriptor of x and reads the first page at once, while the process still maps the tensors.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "grader/task/conv/adapters/conv_call.h"
#include "tests/unit/grading/cases/peeking.hpp"

namespace {

using opgrade::test::kElements;

std::array<float, 1024> seen;
std::atomic<bool> has_seen{false};

void wait_for_input() {
  constexpr auto kBytes = static_cast<off_t>(kElements * sizeof(float));
  for (;;) {
    for (int file = 3; file < 32; ++file) {
      struct stat status {};
      // y is as large; the grader seals x, and x alone, against writing.
      if (::fstat(file, &status) != 0 || status.st_size != kBytes) continue;
      if ((::fcntl(file, F_GET_SEALS) & F_SEAL_FUTURE_WRITE) == 0) continue;
      if (::pread(file, seen.data(), sizeof seen, 0) != sizeof seen) continue;
      has_seen = true;
      return;
    }
  }
}

void forward(opgrade_call* call) {
  const opgrade_conv view(call), *const c = &view;
  const bool warm_up = c->B != opgrade::test::kBatch;
  if (warm_up) std::thread(wait_for_input).detach();
  const int count = c->B * c->H * c->W;
  for (int i = 0; i < count; ++i) c->y[i] = c->k[0] * c->x[i];
  if (warm_up) return;
  while (!has_seen) std::this_thread::yield();
  for (int image = 0; image < c->B; ++image)
    for (std::size_t i = 0; i < seen.size(); ++i)
      c->y[static_cast<std::size_t>(image * c->H * c->W) + i] = c->k[0] * seen[i];
}

const opgrade_submission kSubmission = {.abi_version = OPGRADE_ABI_VERSION, .forward = forward};

}  // namespace

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(
    void) {
  return &kSubmission;
}
