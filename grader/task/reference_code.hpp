/// Staff's own code of a task: the right outputs for given inputs, and what data cannot say.
#pragma once

#include <span>
#include <stdexcept>

#include "grader/core/coordinates.hpp"

namespace opgrade {

/// In words of four bytes, as the task's layout has them.
using StaffInputs = std::span<const std::span<const float>>;

/// Safe to call from several threads. A call throws Error where the code fails: that is no
/// submission's fault.
class ReferenceCode {
 public:
  virtual ~ReferenceCode() = default;

  virtual void compute(const Coordinates& sizes, StaffInputs inputs, std::span<float> expected) = 0;

  enum class Step {
    reference,
    generate,  ///< the last input is the seed; the generated buffers
    validate,  ///< the complaint about the inputs as text, or nothing
    check      ///< the last input is the outputs; the complaint about them as text, or nothing
  };
  virtual void run(Step step, const Coordinates& sizes, StaffInputs inputs, std::span<float> out) {
    if (step != Step::reference) throw std::logic_error("only the reference can be called");
    compute(sizes, inputs, out);
  }
};

/// Of a complaint.
inline constexpr std::size_t kStaffTextWords = 128;

}  // namespace opgrade
