/// Sizes that satisfy a task's constraints.
#pragma once

#include <optional>

#include "grader/base/core/coordinates.hpp"
#include "grader/task/folder/description.hpp"

namespace opgrade {

/// How many constraints the sizes break. One that cannot be evaluated is broken.
int broken_constraints(const TaskDescription& task, const Coordinates& sizes);

/// Sizes near `sizes`, each from its smallest to its largest random one, that break no constraint;
/// nothing if none were found.
std::optional<Coordinates> allowed_sizes_near(const TaskDescription& task, Coordinates sizes);

}  // namespace opgrade
