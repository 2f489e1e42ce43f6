/// What a run of a case needs to know, and cannot change.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/cases/layer/tensor_store.hpp"
#include "grader/cases/rerun/profile_run.hpp"
#include "grader/config/config.hpp"
#include "grader/device/call_costs.hpp"
#include "grader/gpu/referee.hpp"
#include "grader/run/session.hpp"
#include "grader/sandbox/sandbox.hpp"
#include "grader/task/reference_code.hpp"

namespace opgrade {

class StageProcess;

/// What does not change during a stage of a submission.
struct StageContext {
  const Config& config;
  const Sandbox& sandbox;
  std::filesystem::path harness;  ///< the program, where the sandbox's user may read it
  Device device = Device::cpu;    ///< what the submission was built for
  InterfaceSteps steps;           ///< of the interface on that device
  double tolerance = 1e-6;        ///< of the stage, see Config::tolerance
  int threads = 1;                ///< of the grader, between calls
  std::vector<std::filesystem::path> libraries;  ///< what it may load beside the usual, on a GPU
  ProfilerFiles profiler;                        ///< for a cuda stage
  bool sanitized_check = false;    ///< `opgrade check` runs its random shapes under sanitizers
  CallCosts* costs = nullptr;      ///< of calls that do nothing; null: no case is timed
  TensorStore* tensors = nullptr;  ///< where tensors come from and go to
  StaffWork staff = {};            ///< with the sets that the submission shares with others
};

/// What runs: one of the builds of a submission, and its surroundings.
struct Program {
  std::filesystem::path submission;  ///< the shared object
  bool watched = false;              ///< it checks every access
  std::string variation;             ///< environment of the emulated device, or empty
  /// Loaded before all else: a submission built with checks for a CPU needs them.
  std::vector<std::filesystem::path> preloads;
};

/// The emulated build that counts the accesses of a case that passed.
struct Counting {
  std::filesystem::path submission;  ///< empty: nothing is counted
  bool decides = false;              ///< points depend on its counts
  std::uint64_t seed = 1;            ///< of the inputs with which it counts
};

/// The GPU that a case runs on. Empty for other devices.
struct CaseDevice {
  Referee* gpu = nullptr;
  Referee* referee = nullptr;       ///< the same; null where the interface has no device tensors
  StageProcess* process = nullptr;  ///< of the stage's cases; null: each has its own

  CaseDevice without_process() const { return {gpu, referee, nullptr}; }
};

/// Is made once for each run, and never changed: another run has another context.
struct CaseContext {
  const StageContext& stage;
  const Program built;
  const CaseDevice on;
  const bool profile = false;  ///< fill CaseReport::profile of a case that passed
  const Counting counting;
  /// The limit of one process, where it is less than the config's.
  const std::chrono::milliseconds wall = std::chrono::milliseconds::max();
  /// No points for a sum of Op Times above this: score/hopeless.hpp. Absent where any may count.
  const std::optional<double> hopeless_ms{};
};

/// The steps that the interface has on that device, with the task's words.
InterfaceSteps steps_of(const Config& config, Device device);

}  // namespace opgrade
