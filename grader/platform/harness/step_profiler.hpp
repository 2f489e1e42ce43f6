/// Records the profile of a submission's steps.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include "grader/platform/harness/profiler/collector.h"

namespace opgrade::harness {

/// Records what the device does. For a real device a separate library does it (OPGRADE_PROFILER
/// names the library), for the emulated one the submission's own runtime.
class StepProfiler {
 public:
  /// Returns 0, or why nothing can be recorded. `layers`: the number of layers that other processes
  /// recorded before.
  const char* start(void* submission, int layers = 0) {
    if (start_ == nullptr) {
      void* const library = path_ != nullptr ? ::dlopen(path_, RTLD_NOW | RTLD_LOCAL) : submission;
      if (library == nullptr) return ::dlerror();
      find(start_, library, "opgrade_profiler_start");
      find(step_, library, "opgrade_profiler_step");
      find(stop_, library, "opgrade_profiler_stop");
      if (start_ == nullptr || step_ == nullptr || stop_ == nullptr) {
        start_ = nullptr;
        return "this device has no profile";
      }
    }
    const char* const why = start_();
    running_ = why == nullptr;
    layer_ = layers - 1;
    next_layer_ = true;
    return why;
  }

  const char* stop(int file) {
    if (!running_) return "no profile was begun";
    running_ = false;
    return stop_(file);
  }

  /// The next steps belong to the next layer.
  void next_layer() { next_layer_ = true; }

  void step(const char* kind) {
    if (!running_) return;
    if (std::exchange(next_layer_, false)) ++layer_;
    step_(kind, layer_);
  }

 private:
  template <class Function>
  static void find(Function& function, void* library, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
  }

  // Read before the submission is loaded, because the submission could change it.
  const char* const path_ = std::getenv("OPGRADE_PROFILER");
  decltype(&opgrade_profiler_start) start_ = nullptr;
  decltype(&opgrade_profiler_step) step_ = nullptr;
  decltype(&opgrade_profiler_stop) stop_ = nullptr;
  bool running_ = false;
  bool next_layer_ = true;
  int layer_ = -1;
};

}  // namespace opgrade::harness
