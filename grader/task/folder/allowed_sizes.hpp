/// Sizes that satisfy a task's constraints.
#pragma once

#include <optional>

#include "grader/base/core/coordinates.hpp"
#include "grader/task/folder/description.hpp"

namespace opgrade {

/// Number of constraints that the sizes violate. A constraint that cannot be evaluated counts as
/// violated.
int broken_constraints(const TaskDescription& task, const Coordinates& sizes);

/// Sizes near `sizes`, each between its smallest value and its largest random one, that violate no
/// constraint; nullopt if none were found.
std::optional<Coordinates> allowed_sizes_near(const TaskDescription& task, Coordinates sizes);

}  // namespace opgrade
