/// Runs one case of a stage: a model at a batch size, or the random shapes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "grader/app/model_store.hpp"
#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

/// What all cases of a built submission share.
struct CaseContext {
  const Config& config;
  const Sandbox& sandbox;
  std::filesystem::path harness;     ///< the program, where the sandbox's user may read it
  std::filesystem::path submission;  ///< the shared object
  Device device = Device::cpu;       ///< what it was built for
  int threads = 1;                   ///< of the grader, between calls
};

/// Runs the network as the course does: each convolution by the submission, on the output of the
/// layers before it, everything else by the grader. Fills all but `id`, points and the command to
/// repeat. Throws Error for the grader's own failures only.
CaseReport run_model_case(const CaseContext& context, const Model& model, const CaseConfig& wanted);

/// Runs `count` random shapes with random values. The same seed gives the same shapes and values.
CaseReport run_random_case(const CaseContext& context, int count, std::uint64_t seed);

}  // namespace opgrade
