/// What a run of a case needs to know, and cannot change.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/grading/cases/layer/tensor_store.hpp"
#include "grader/grading/cases/rerun/profile_run.hpp"
#include "grader/grading/device/call_costs.hpp"
#include "grader/grading/measure/next_call.hpp"
#include "grader/grading/run/session.hpp"
#include "grader/platform/gpu/referee.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/interface.hpp"
#include "grader/task/interface/model.hpp"
#include "grader/task/interface/reference_code.hpp"
#include "grader/task/interface/task.hpp"

namespace opgrade {

class StageProcess;

/// Cannot be copied: a member of what is made once and passed on by reference, so that no copy can
/// be changed.
struct MadeOnce {
  MadeOnce() = default;
  MadeOnce(const MadeOnce&) = delete;
};

/// What stays the same during a stage of a submission. grading/pipeline/stage_context.hpp makes it.
struct StageContext {
  const Config& config;
  const Task& task;  ///< of the stage, which may have another than the config's
  const Interface& interface;
  const Sandbox& sandbox;
  const std::filesystem::path harness;  ///< the program, which the sandbox's user may read
  const Device device = Device::cpu;    ///< what the submission was built for
  const InterfaceSteps steps;           ///< of the interface on that device
  const double tolerance = 1e-6;        ///< of the stage, see Config::tolerance
  const int gpus = 1;                   ///< that the submission sees
  const int threads = 1;                ///< of the grader, between calls
  const std::vector<std::filesystem::path> libraries;  ///< what a GPU submission may also load
  const ProfilerFiles profiler;                        ///< for a cuda stage
  const bool sanitized_check = false;  ///< `opgrade check` runs its random shapes under sanitizers
  CallCosts* const costs = nullptr;    ///< of calls that do nothing; null: no case is timed
  TensorStore* const tensors = nullptr;  ///< where tensors come from and go to
  Models* const models = nullptr;        ///< null if no task has any
  const StaffWork staff = {};            ///< with the sets that the submission shares with others
  const MadeOnce made_once = {};
};

/// One of the builds of a submission, and its surroundings: what runs.
struct Program {
  std::filesystem::path submission;  ///< the shared object
  bool watched = false;              ///< it checks every access
  std::string variation;             ///< environment of the emulated device, or empty
  /// Loaded before all else: the sanitizers that a CPU submission built with checks needs.
  std::vector<std::filesystem::path> preloads;
};

/// The emulated build that counts the accesses of a case that passed.
struct Counting {
  const StageContext* stage = nullptr;  ///< on the emulated device; null: nothing is counted
  std::filesystem::path submission;     ///< empty: likewise
  bool decides = false;                 ///< points depend on its counts
  std::uint64_t seed = 1;               ///< of the inputs with which it counts
};

/// The GPU that a case runs on. Empty for other devices.
struct CaseDevice {
  Referee* gpu = nullptr;
  Referee* referee = nullptr;       ///< equals `gpu`; null if the interface has no device tensors
  StageProcess* process = nullptr;  ///< of the stage's cases; null: each has its own
  std::vector<std::string> others = {};  ///< UUIDs of the other GPUs that it uses

  /// The UUIDs of all GPUs that the submission sees, that of `gpu` first.
  std::vector<std::string> uuids() const {
    if (gpu == nullptr) return {};
    std::vector<std::string> all{gpu->uuid()};
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
  CaseDevice without_process() const { return {gpu, referee, nullptr, others}; }
};

/// What a run must give besides the outcome, and the run's own limits.
struct CaseWants {
  bool profile = false;  ///< fill CaseReport::profile of a case that passed
  Counting counting = {};
  /// The limit of one process, if it is less than the config's.
  std::chrono::milliseconds wall = std::chrono::milliseconds::max();
  TimeLimits limits = {};       ///< of its Op Time: score/hopeless.hpp
  int threads = 0;              ///< see CaseConfig::threads
  std::vector<int> cores = {};  ///< as many; empty: the case shares the machine's
};

/// Made once for each run, and never changed: another run has another context.
struct CaseContext {
  const StageContext& stage;
  const Program built;
  const CaseDevice on;
  const CaseWants wants = {};
  const MadeOnce made_once = {};

  /// The context of the same run in a process that no other case uses.
  CaseContext apart() const { return {stage, built, on.without_process(), wants}; }
};

/// The steps that the interface has on `device`, with the task's words.
InterfaceSteps steps_of(const Task& task, const Interface& interface, Device device);

}  // namespace opgrade
