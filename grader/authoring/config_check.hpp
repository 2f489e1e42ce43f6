/// Checks a config against its models and their data sets, for problems that its text alone does
/// not show.
#pragma once

#include <string>
#include <vector>

#include "grader/task/config/config.hpp"
#include "grader/task/interface/model.hpp"

namespace opgrade {

/// One sentence for each batch that exceeds its data set, and for each `accuracy` that differs from
/// the model's, because every right submission would lose those points. Runs the models, which
/// takes seconds. `models` is null if the task has none. Throws as Models::get() does.
std::vector<std::string> model_problems(const Config& config, Models* models);

}  // namespace opgrade
