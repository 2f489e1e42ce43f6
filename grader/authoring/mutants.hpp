/// Wrong sources that a task's cases must notice.
#pragma once

#include <string>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/task/folder/description.hpp"

namespace opgrade {

struct WrongSource {
  std::string what;  ///< "line 14: without __syncthreads()", "writes nothing"
  std::string text;  ///< of the whole source
};

/// Small mistakes planted in a right source. Each differs from `source` in one place: a barrier
/// dropped, a bound moved by one, a plain sum where an atomic one was, a swapped index, a first
/// term left out. Comments, strings and directives stay. Not each mutant builds, and some compute
/// the same.
std::vector<WrongSource> mutants_of(const std::string& source);

/// Submissions that compute nothing, for one device. One that writes nothing, one that fills each
/// output with zeros, one with ones, and for each input one that copies it into the outputs as far
/// as it reaches.
std::vector<WrongSource> guesses_at(const TaskDescription& task, Device device);

}  // namespace opgrade
