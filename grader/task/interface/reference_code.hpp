/// Staff's own code of a task: it computes the right outputs for given inputs, and does what data
/// cannot describe.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "grader/base/core/coordinates.hpp"

namespace opgrade {

/// The inputs in the task's layout.
using StaffInputs = std::span<const std::span<const std::byte>>;

/// The output of a step, and the inputs that it read. Valid as long as this object lives.
struct StaffOutput {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;
  std::vector<std::span<const std::byte>> inputs;  ///< copies, which stay unchanged
};

/// Safe to call from several threads. A call throws Error if the code fails, because that is not
/// the submission's fault.
class ReferenceCode {
 public:
  virtual ~ReferenceCode() = default;

  enum class Step {
    reference,
    generate,  ///< the last input is the seed; outputs the generated buffers
    validate,  ///< outputs the complaint about the inputs as text, or nothing
    check      ///< the last input is the submission's outputs; outputs the complaint about them as
               ///< text, or nothing
  };
  /// `bytes`: size of the output.
  virtual StaffOutput run(Step step, const Coordinates& sizes, StaffInputs inputs,
                          std::size_t bytes) = 0;
};

class CallSets;

/// The source of the inputs and right outputs of a lecturer's task.
struct StaffWork {
  std::shared_ptr<ReferenceCode> code;
  CallSets* sets = nullptr;  ///< for large inputs; must outlive the problems. Null: there are none
};

/// Size of a complaint.
inline constexpr std::size_t kStaffTextBytes = 512;

}  // namespace opgrade
