/// Reads what compute-sanitizer prints, into the same findings that the emulated device makes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade {

struct SanitizerOutput {
  std::vector<Finding> findings;  ///< one for each kind and line, the first of them
  std::string problem;            ///< why the tool did not do its work, or empty
};

/// `text` is the standard output of `compute-sanitizer --tool TOOL` on a submission built with
/// -lineinfo. The submission prints into the same stream, so its lines may forge findings, which
/// only harm itself; nothing of it is trusted beyond that.
SanitizerOutput read_sanitizer(std::string_view text, std::string_view tool);

}  // namespace opgrade
