/// Staff's own code of a task: the right outputs for given inputs, and what data cannot say.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "grader/base/core/coordinates.hpp"

namespace opgrade {

/// As the task's layout has them.
using StaffInputs = std::span<const std::span<const std::byte>>;

/// What a step wrote, and what it read, as long as this lives.
struct StaffOutput {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;
  std::vector<std::span<const std::byte>> inputs;  ///< copies, which nothing changes
};

/// Safe to call from several threads. A call throws Error where the code fails: that is no
/// submission's fault.
class ReferenceCode {
 public:
  virtual ~ReferenceCode() = default;

  enum class Step {
    reference,
    generate,  ///< the last input is the seed; the generated buffers
    validate,  ///< the complaint about the inputs as text, or nothing
    check      ///< the last input is the outputs; the complaint about them as text, or nothing
  };
  /// `bytes`: of the output.
  virtual StaffOutput run(Step step, const Coordinates& sizes, StaffInputs inputs,
                          std::size_t bytes) = 0;
};

class CallSets;

/// Where the problems of a lecturer's task have their inputs and right outputs from.
struct StaffWork {
  std::shared_ptr<ReferenceCode> code;
  CallSets* sets = nullptr;  ///< for large inputs; must outlive the problems. Null: there are none
};

/// Of a complaint.
inline constexpr std::size_t kStaffTextBytes = 512;

}  // namespace opgrade
