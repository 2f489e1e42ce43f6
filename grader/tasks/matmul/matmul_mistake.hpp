/// Says what a wrong matrix product looks like, when it looks like a known mistake.
#pragma once

#include <string>

#include "grader/core/grade.hpp"
#include "grader/task/problem.hpp"

namespace opgrade {

/// One sentence for the student, or empty when no known mistake fits. `values` are C, A and B and
/// `report` is the failed check of C. Reads a few rows only.
Hint explain_matmul(int M, int N, int K, const Values& values, const CheckReport& report);

}  // namespace opgrade
