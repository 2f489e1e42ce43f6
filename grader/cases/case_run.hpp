/// Runs one case of a stage: calls that are timed, or problems that are only checked.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "grader/cases/case_calls.hpp"
#include "grader/cases/judged_case.hpp"
#include "grader/cases/profile_run.hpp"
#include "grader/cases/tensor_store.hpp"
#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"
#include "grader/device/call_costs.hpp"
#include "grader/device/gpu_pool.hpp"
#include "grader/gpu/referee.hpp"
#include "grader/run/session.hpp"
#include "grader/sandbox/sandbox.hpp"
#include "grader/task/interface.hpp"
#include "grader/task/problem.hpp"

namespace opgrade {

class StageProcess;

/// Data shared by all cases of a built submission.
struct CaseContext {
  const Config& config;
  const Sandbox& sandbox;
  std::filesystem::path harness;     ///< the program, where the sandbox's user may read it
  std::filesystem::path submission;  ///< the shared object
  Device device = Device::cpu;       ///< what it was built for
  int threads = 1;                   ///< of the grader, between calls
  double tolerance = 1e-6;           ///< of the stage, see Config::tolerance
  int sharing = 1;                   ///< runs beside this one on the CPU, itself included
  InterfaceSteps steps;              ///< of the interface on that device
  std::vector<std::filesystem::path> libraries;  ///< what it may load beside the usual, on a GPU
  Referee* referee = nullptr;                    ///< of the GPU that a cuda stage runs on
  ProfilerFiles profiler;                        ///< for a cuda stage
  /// Loaded before all else: a submission built with checks for a CPU needs them.
  std::vector<std::filesystem::path> preloads;
  bool sanitized_check = false;     ///< `opgrade check` runs its random shapes under sanitizers
  bool watched = false;             ///< the submission's build checks every access
  std::string variation;            ///< environment of the emulated device, or empty
  std::filesystem::path counting;   ///< emulated build that counts accesses, or empty
  bool profile = false;             ///< fill CaseReport::profile of a case that passed
  Referee* gpu = nullptr;           ///< the same, also where the interface has no device tensors
  CallCosts* costs = nullptr;       ///< of calls that do nothing; null: no case is timed
  StageProcess* process = nullptr;  ///< of the stage's cases; null: each has its own
  TensorStore* tensors = nullptr;   ///< where tensors come from and go to
  GpuPool::Lease* lease = nullptr;  ///< of `gpu`, where others may start processes on it
  /// The threads that may start a process on `gpu`: between the timed steps of two problems, and
  /// after the last.
  GpuPool::Invited invites_between = GpuPool::Invited::nobody;
  GpuPool::Invited invites_after = GpuPool::Invited::nobody;
  /// The limit of one process, where it is less than the config's.
  std::chrono::milliseconds wall = std::chrono::milliseconds::max();
};

/// The steps that the interface has on that device, with the task's words.
InterfaceSteps steps_of(const Interface& interface, Device device);

/// Runs and times the calls of a case. A submission whose calls leave so much memory behind that a
/// later one has none runs again, with a process for each call. Fills all but `id`, points and the
/// command to repeat. `notes` gets how it was measured, where that is not the usual way. Throws
/// Error for the grader's own failures only.
JudgedCase run_timed_case(const CaseContext& context, const MakeCalls& make_calls,
                          const CaseConfig& wanted, std::vector<std::string>& notes);

enum class Until { first_wrong, end };

/// Runs `problems` by themselves, with values from `random`, up to the first that is wrong or to
/// the end.
JudgedCase run_problems_case(const CaseContext& context, std::span<const NamedProblem> problems,
                             std::mt19937_64 random, Until until = Until::first_wrong);

}  // namespace opgrade
