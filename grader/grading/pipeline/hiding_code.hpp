/// Words that a submission must not use, because they would hide code from the runs that look for
/// mistakes or count: attributes, pragmas, names of the instrumentation, assembly.
#pragma once

#include <optional>
#include <vector>

#include "grader/base/core/reason.hpp"
#include "grader/grading/build/preprocess.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// True if points of a stage depend on a run that watches its accesses: on the emulated device, in
/// a search for data races of OpenMP's threads, or for rules on counts.
bool is_watched(const StageConfig& stage, Device device);

/// The first of the sources' words that could hide code, with its line. On a CPU no device code is
/// translated, so assembly that accesses memory counts as such a word. `counted`: rules on counts
/// apply, so words that change the optimisation of a function count, too.
std::optional<Reason> hides_code(const std::vector<PreprocessedSource>& read, Device device,
                                 bool counted);

}  // namespace opgrade
