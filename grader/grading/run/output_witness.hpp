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
/// submission, right after the call was reported done. If the submission is then still computing a
/// part f of its output, a call shows that with probability 1 - (1 - f)^64: for 1 %, almost every
/// second call does.
class OutputWitness final : public CallGate {
 public:
  static constexpr std::size_t kPlaces = 64;

  /// `output` must outlive the witness and start at a multiple of four bytes. `random` picks the
  /// places.
  OutputWitness(std::span<const std::byte> output, std::uint64_t random);

  void look() override;

  /// True if a place has changed since look(). Call it once every process is stopped.
  bool changed() const;

 private:
  std::span<const std::byte> output_;
  std::vector<std::pair<std::size_t, std::uint32_t>> seen_;  ///< place and bits
};

}  // namespace opgrade
