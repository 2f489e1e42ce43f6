/// Compares one image of an output with its double-precision values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "grader/base/core/grade.hpp"

namespace opgrade {

struct PartResult {
  std::int64_t mismatches = 0;
  std::int64_t first = -1;  ///< index within the part
  double worst = 0;         ///< NaN if a value is not a number
  double got = 0, want = 0;
};

/// The largest |value|; 0 if there is no value.
double largest_of(std::span<const double> values);

/// An element passes only if its error is at most `bound` times the part's scale, which `scale_of`
/// computes from the part's largest |want|: NaN fails.
PartResult check_part(std::span<const double> want, std::span<const float> got, double bound,
                      const std::function<double(double)>& scale_of);

/// Adds the result of a part that begins at element `start` of the output.
void add_part(CheckReport& report, const PartResult& part, std::int64_t start);

/// Root mean square; 0 for no values.
double root_mean_square(std::span<const float> values);

}  // namespace opgrade
