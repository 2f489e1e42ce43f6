// A submission that brings a collector of profile events: see CaseProfileTest. It records each step
// as a launch with a grid of B, M and H. The prolog launches a kernel if x is kOutside wide, and
// the process ends in a call with an x that is kExits wide.
#include <unistd.h>

#include <string>

#include "grader/platform/harness/profiler/collector.h"
#include "grader/task/conv/adapters/conv_call.h"
#include "tests/unit/grading/cases/recorded.hpp"

namespace {

const opgrade_call* call_now = nullptr;
std::string step_now;
std::string record;

void launch() {
  const opgrade_conv c(call_now);
  record += "count 1 " + step_now + " " + std::to_string(c.B) + " " + std::to_string(c.M) + " " +
            std::to_string(c.H) + " 1 1 1 0 0 a_kernel\n";
}

void prolog(opgrade_call* call) {
  call_now = call;
  if (opgrade_conv(call).W == opgrade::test::kOutside && !step_now.empty()) launch();
}

void forward(opgrade_call* call) {
  if (opgrade_conv(call).W == opgrade::test::kExits) ::_exit(7);
  call_now = call;
  if (!step_now.empty()) launch();
}

constexpr opgrade_submission kSubmission = {
    .abi_version = OPGRADE_ABI_VERSION, .prolog = prolog, .forward = forward};

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED const opgrade_submission* opgrade_get_submission(void) { return &kSubmission; }

EXPORTED const char* opgrade_profiler_start(void) {
  record = "opgrade-profile 1\ndevice 0 0 0 0 0 0 0 none\n";
  return nullptr;
}

EXPORTED void opgrade_profiler_step(const char* kind, int layer) {
  step_now = kind == nullptr ? "" : std::string(kind) + " " + std::to_string(layer);
}

EXPORTED const char* opgrade_profiler_stop(int file) {
  record += "lost 0\nend\n";
  return ::write(file, record.data(), record.size()) < 0 ? "cannot write" : nullptr;
}
