// A built submission that takes of the input what it can while its process maps it, which is before
// the grader's clock runs: a thread waits for the descriptor of x and reads the first page at once.
// A thread that was switched out since it last looked in vain, as all are while the grader writes
// an input, may have read after the clock began, which is no peeking. Nor is it if the thread's
// core was taken from the whole machine, which no count of switches shows, but the time does.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "grader/task/conv/adapters/conv_call.h"
#include "tests/unit/grading/cases/peeking.hpp"

namespace {

using opgrade::test::kElements;

std::array<float, 1024> seen;
std::atomic<bool> has_seen{false};

struct Look {
  std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
  long switches = 0;  ///< of the thread, before now

  Look() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    switches = usage.ru_nvcsw + usage.ru_nivcsw;
  }
};

bool went_on_since(const Look& earlier) {
  const Look now;
  return now.switches == earlier.switches && now.at - earlier.at < std::chrono::milliseconds(1);
}

void wait_for_input() {
  constexpr auto kBytes = static_cast<off_t>(kElements * sizeof(float));
  Look in_vain;
  for (Look looked;; in_vain = std::exchange(looked, Look())) {
    for (int file = 3; file < 32; ++file) {
      struct stat status {};
      // y is as large; the grader seals x, and x alone, against writing.
      if (::fstat(file, &status) != 0 || status.st_size != kBytes) continue;
      if ((::fcntl(file, F_GET_SEALS) & F_SEAL_FUTURE_WRITE) == 0) continue;
      if (::pread(file, seen.data(), sizeof seen, 0) != sizeof seen) continue;
      has_seen = went_on_since(in_vain);
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
  for (std::size_t i = 0; i < seen.size(); ++i) c->y[i] = has_seen ? c->k[0] * seen[i] : 0;
}

const opgrade_submission kSubmission = {.abi_version = OPGRADE_ABI_VERSION, .forward = forward};

}  // namespace

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(
    void) {
  return &kSubmission;
}
