/// Checks that a submission's output is complete when the submission reports the end of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grader/grading/run/call_gate.hpp"

namespace opgrade {

/// Reads an output at secret places, four bytes at each, in memory that the grader shares with the
/// submission, right after the call was reported done. A submission that still computes a part f of
/// its output then is found in a call with probability 1 - (1 - f)^64. That is two calls of three
/// for 1 %.
class OutputWitness final : public CallGate {
 public:
  static constexpr std::size_t kPlaces = 64;

  /// `output` must outlive it, and lie on a multiple of four bytes. `random` picks the places.
  OutputWitness(std::span<const std::byte> output, std::uint64_t random);

  void look() override;

  /// Once every process is stopped: whether one of them has changed since look().
  bool changed() const;

 private:
  std::span<const std::byte> output_;
  std::vector<std::pair<std::size_t, std::uint32_t>> seen_;  ///< place and bits
};

}  // namespace opgrade
