/// Inputs of calls with the right outputs for them, made once for all submissions of a class.
#pragma once

#include <cstdint>
#include <functional>

#include "grader/base/core/coordinates.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {

/// Of one submission. Safe to use from several threads at once.
class CallSets {
 public:
  virtual ~CallSets() = default;

  /// The set of that seed: inputs, their copies and the outputs.
  using Make = std::function<StaffOutput(std::uint64_t seed)>;

  /// A set that the submission has not had, and that was first used after it was handed in.
  virtual StaffOutput fresh(const Coordinates& sizes, const Make& make, int threads) = 0;

  /// The set of this seed, which need not be a secret.
  virtual StaffOutput of_seed(const Coordinates& sizes, std::uint64_t seed, const Make& make,
                              int threads) = 0;
};

}  // namespace opgrade
