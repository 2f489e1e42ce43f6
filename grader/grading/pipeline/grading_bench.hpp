/// What all stages of all submissions of a grader share.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "grader/grading/cases/layer/tensor_store.hpp"
#include "grader/grading/pipeline/device_self_test.hpp"
#include "grader/grading/pipeline/grader_options.hpp"
#include "grader/grading/pipeline/machine.hpp"
#include "grader/grading/pipeline/rank_so_far.hpp"
#include "grader/grading/pipeline/selection.hpp"
#include "grader/grading/pipeline/spare_cores.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/model.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {

/// The references of lecturers' tasks, by the tasks' ids.
using References = std::map<std::string, std::shared_ptr<ReferenceCode>, std::less<>>;

struct GradingBench {
  const Config& config;
  const GraderOptions& options;
  const Selection& selection;
  std::uint64_t seed;
  Machine& machine;
  Models* models;  ///< null if no task has any
  DeviceSelfTest& control;
  TensorStore& tensors;
  SpareCores& cores;
  const References& references;
  const RankSoFar& ranked;  ///< of a class
};

}  // namespace opgrade
