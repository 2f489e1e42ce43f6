/// Inputs of calls with the right outputs for them, made once for all submissions of a class.
#pragma once

#include <cstdint>
#include <functional>

#include "grader/base/core/coordinates.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {

/// The sets as one submission uses them. Safe to use from several threads at once.
class CallSets {
 public:
  virtual ~CallSets() = default;

  /// Makes the set of a seed: inputs, their copies and the outputs.
  using Make = std::function<StaffOutput(std::uint64_t seed)>;

  /// A set that this submission has not had, and that was first used after the submission was
  /// handed in.
  virtual StaffOutput fresh(const Coordinates& sizes, const Make& make, int threads) = 0;

  /// The set of this seed, which need not be secret.
  virtual StaffOutput of_seed(const Coordinates& sizes, std::uint64_t seed, const Make& make,
                              int threads) = 0;
};

}  // namespace opgrade
