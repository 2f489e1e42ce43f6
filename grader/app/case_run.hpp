/// Runs one case of a stage: a model at a batch size, or single convolutions.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "grader/app/call_costs.hpp"
#include "grader/app/leftovers.hpp"
#include "grader/app/model_store.hpp"
#include "grader/app/profile_run.hpp"
#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"
#include "grader/gpu/referee.hpp"
#include "grader/run/session.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

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
  Steps steps;                       ///< of the interface on that device
  std::vector<std::filesystem::path> libraries;  ///< what it may load beside the usual, on a GPU
  Referee* referee = nullptr;                    ///< of the GPU that a cuda stage runs on
  ProfilerFiles profiler;                        ///< for a cuda stage
  bool watched = false;                          ///< the submission's build checks every access
  bool profile = false;                          ///< fill CaseReport::profile of a case that passed
  Referee* gpu = nullptr;          ///< the same, also where the interface has no device tensors
  CallCosts* costs = nullptr;      ///< of calls that do nothing; null: no case is timed
  Leftovers* leftovers = nullptr;  ///< where the tensors go in the end; else they are waited for
  /// The limit of one process, where it is less than the config's.
  std::chrono::milliseconds wall = std::chrono::milliseconds::max();
};

/// Runs the network as the course does: each convolution by the submission, on the output of the
/// layers before it, everything else by the grader. A submission whose calls leave so much memory
/// behind that a later one has none runs again, with a process for each call. Fills all but `id`,
/// points and the command to repeat. `notes` gets how it was measured, where that is not the usual
/// way. Throws Error for the grader's own failures only.
CaseReport run_model_case(const CaseContext& context, const Model& model, const CaseConfig& wanted,
                          std::vector<std::string>& notes);

/// Runs `convs` by themselves, with values from `random`, up to the first that is wrong.
CaseReport run_shapes_case(const CaseContext& context, const std::vector<ConvLayer>& convs,
                           std::mt19937_64& random);

}  // namespace opgrade
