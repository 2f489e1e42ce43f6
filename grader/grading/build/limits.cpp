#include "grader/grading/build/limits.hpp"

#include <chrono>

namespace opgrade {

void set_limits(SandboxPolicy& policy, const LimitConfig& limits) {
  policy.wall = limits.wall;
  policy.cpu = std::chrono::ceil<std::chrono::seconds>(limits.cpu);
  policy.memory_bytes = limits.memory_bytes;
  policy.output_bytes = limits.output_bytes;
  policy.file_bytes = limits.file_bytes;
  policy.processes = limits.processes;
}

}  // namespace opgrade
