/// Wrong sources that a task's cases must notice.
#pragma once

#include <string>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/task/folder/description.hpp"

namespace opgrade {

struct WrongSource {
  std::string what;  ///< "line 14: without __syncthreads()", "writes nothing"
  std::string text;  ///< the whole source
};

/// Small mistakes planted in a right source. Each mutant differs from `source` in one place: a
/// barrier is dropped, a bound moved by one, an atomic sum made plain, an index swapped, a first
/// term left out. Comments, strings and directives are unchanged. Some mutants do not build, and
/// some compute the same results.
std::vector<WrongSource> mutants_of(const std::string& source);

/// Submissions for one device that compute nothing: one writes nothing, one fills each output with
/// zeros, one with ones, and one per input copies the input into the outputs as far as it reaches.
std::vector<WrongSource> guesses_at(const TaskDescription& task, Device device);

}  // namespace opgrade
