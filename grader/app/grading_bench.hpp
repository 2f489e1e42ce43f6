/// What all stages of all submissions of a grader share.
#pragma once

#include <cstdint>
#include <memory>

#include "grader/app/device_self_test.hpp"
#include "grader/app/grader_options.hpp"
#include "grader/app/machine.hpp"
#include "grader/app/selection.hpp"
#include "grader/app/set_cache.hpp"
#include "grader/app/spare_cores.hpp"
#include "grader/cases/layer/tensor_store.hpp"
#include "grader/config/config.hpp"
#include "grader/task/model.hpp"
#include "grader/task/reference_code.hpp"

namespace opgrade {

struct GradingBench {
  const Config& config;
  const GraderOptions& options;
  const Selection& selection;
  std::uint64_t seed;
  Machine& machine;
  Models* models;  ///< null where the task has none
  DeviceSelfTest& control;
  TensorStore& tensors;
  SetCache* sets;  ///< null where submissions share no inputs
  SpareCores& cores;
  std::shared_ptr<ReferenceCode> reference;  ///< of a lecturer's task; else null
};

}  // namespace opgrade
