/// Staff's own code of a task: the right outputs for given inputs.
#pragma once

#include <span>

#include "grader/core/coordinates.hpp"

namespace opgrade {

class ReferenceCode {
 public:
  virtual ~ReferenceCode() = default;

  /// `inputs` and `expected` in words of four bytes, as the task's layout has them. Safe to call
  /// from several threads. Throws Error where the code fails: that is no submission's fault.
  virtual void compute(const Coordinates& sizes, std::span<const std::span<const float>> inputs,
                       std::span<float> expected) = 0;
};

}  // namespace opgrade
