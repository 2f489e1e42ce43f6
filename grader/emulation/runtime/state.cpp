#include "grader/emulation/runtime/state.hpp"

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/late_work.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "opgrade_emulation/api.hpp"

namespace opgrade_emulation {
namespace {

std::atomic<cudaError_t> sticky{cudaSuccess};
thread_local cudaError_t last = cudaSuccess;

struct RefusedLaunch {
  bool pending = false;
  cudaError_t error = cudaSuccess;
  std::string file, kernel, why;
  int line = 0;
};
std::mutex refused_mutex;
RefusedLaunch& refused() {
  static auto* launch = new RefusedLaunch;
  return *launch;
}

void report_refused(const RefusedLaunch& launch, bool asked) {
  report({.kind = asked ? "launch_refused" : "unchecked_launch_error",
          .severity = "warning",
          .message = launch.kernel + " did not run (" + cudaGetErrorName(launch.error) +
                     "): " + launch.why + "." +
                     (asked ? ""
                            : " Nothing asked for the error: call cudaGetLastError() after the "
                              "launch."),
          .file = launch.file,
          .line = launch.line});
}

void asked_for_error() {
  const std::lock_guard lock(refused_mutex);
  if (!refused().pending) return;
  refused().pending = false;
  report_refused(refused(), true);
}

}  // namespace

cudaError_t sticky_error() { return sticky.load(std::memory_order_relaxed); }
void set_sticky_error(cudaError_t error) {
  cudaError_t none = cudaSuccess;
  sticky.compare_exchange_strong(none, error);
}

cudaError_t remember(cudaError_t error) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (error != cudaSuccess) last = error;
  return error;
}

void report_failed_call(cudaError_t error, const char* function, const void* site) {
  // Ignores calls of adapters, which unregister memory whether it was registered or not.
  if (is_reported(site) || line_behind(site).file.empty()) return;
  const std::string_view name = function;
  report({.kind = "failed_call",
          .severity = "warning",
          .message = (name.starts_with("cuda") ? std::string(name) : "A call of CUDA") +
                     " returned " + cudaGetErrorName(error) + ": " + cudaGetErrorString(error) +
                     ".",
          .site = site});
}

void remember_refused_launch(cudaError_t error, const char* file, int line, const char* kernel,
                             const char* why) {
  const std::lock_guard lock(refused_mutex);
  RefusedLaunch& launch = refused();
  if (launch.pending) report_refused(launch, false);
  launch = {true, error, file, kernel, why, line};
}

void report_unchecked_launch() {
  const std::lock_guard lock(refused_mutex);
  if (!refused().pending) return;
  refused().pending = false;
  report_refused(refused(), false);
}

}  // namespace opgrade_emulation

using namespace opgrade_emulation;

cudaError_t cudaGetLastError() {
  asked_for_error();
  const cudaError_t error = sticky_error() != cudaSuccess ? sticky_error() : last;
  last = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  asked_for_error();
  return sticky_error() != cudaSuccess ? sticky_error() : last;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define X(name, number, text) \
  case name:                  \
    return #name;
#include "opgrade_emulation/errors.inc"
#undef X
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define X(name, number, text) \
  case name:                  \
    return text;
#include "opgrade_emulation/errors.inc"
#undef X
  }
  return "unrecognized error code";
}

/// Waits for all work and returns CUDA's error code, 0 for none. For a program that loads a
/// submission without an adapter.
extern "C" __attribute__((visibility("default"))) int opgrade_emulation_synchronize(void) {
  finish_all({__func__, nullptr, true});
  report_unchecked_launch();
  const cudaError_t error = sticky_error() != cudaSuccess ? sticky_error() : last;
  last = cudaSuccess;
  return error;
}

extern "C" __attribute__((visibility("default"))) const char* opgrade_emulation_error_string(
    int error) {
  return cudaGetErrorString(static_cast<cudaError_t>(error));
}
