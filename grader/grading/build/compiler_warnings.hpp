/// A compiler's warnings as findings.
#pragma once

#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// The warnings of g++, clang and nvcc in `output` that name one of `files`, each once. A variable
/// without a value is `uninitialized_variable`, any other warning `compiler_warning`.
std::vector<Finding> compiler_warnings(const std::string& output,
                                       const std::vector<std::string>& files);

}  // namespace opgrade
