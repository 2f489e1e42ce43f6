/// Where a grade was made, and what went wrong with the machine.
#pragma once

#include <vector>

#include "grader/base/core/gpu_id.hpp"
#include "grader/base/core/notes/alternative.hpp"
#include "grader/base/core/reasons/no_device.hpp"

namespace opgrade::notes {

/// The sandbox is weaker than the best tier of opgrade.
struct WeakSandbox {
  std::string tier;  ///< its name
  OPGRADE_NOTE(WeakSandbox, weak_sandbox);
};
/// A stage for a GPU runs on the emulated device, because there is no GPU.
struct EmulatedInstead {
  OPGRADE_NOTE(EmulatedInstead, emulated_instead);
};
/// A stage cannot run at all.
struct StageNotRun {
  why::NoDevice missing;
  OPGRADE_NOTE(StageNotRun, stage_not_run);
};
/// Some visible GPUs are of another model than those in use.
struct UnusedGpus {
  std::vector<GpuId> gpus;
  std::string used;  ///< the model in use
  OPGRADE_NOTE(UnusedGpus, unused_gpus);
};
struct GpuFailed {
  GpuId gpu;
  int left = 0;  ///< GPUs that are still in use
  std::string case_id{};
  OPGRADE_NOTE(GpuFailed, gpu_failed);
};
/// Another program may have run while the case was timed.
struct MayOverlap {
  std::string words;  ///< why the timing lock cannot prevent that
  std::string case_id{};
  OPGRADE_NOTE(MayOverlap, may_overlap);
};

}  // namespace opgrade::notes
