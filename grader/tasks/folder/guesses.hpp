/// Submissions that compute nothing: a task's cases must refuse them.
#pragma once

#include <string>
#include <vector>

#include "grader/core/device.hpp"
#include "grader/tasks/folder/description.hpp"

namespace opgrade {

struct Guess {
  std::string what;  ///< "writes nothing"
  std::string text;  ///< of the source for one device
};

/// One that writes nothing, one that fills each output with zeros, one with ones, and for each
/// input one that copies it into the outputs as far as it reaches.
std::vector<Guess> guesses_at(const TaskDescription& task, Device device);

}  // namespace opgrade
