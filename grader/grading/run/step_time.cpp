#include "grader/grading/run/step_time.hpp"

#include <algorithm>
#include <cstdint>

namespace opgrade {

StepTime& StepTime::operator+=(const StepTime& other) {
  until_done += other.until_done;
  until_proven += other.until_proven;
  until_finished += other.until_finished;
  until_stopped += other.until_stopped;
  harness += other.harness;
  device += other.device;
  return *this;
}

void take_claims(StepTime& time, const protocol::Reply& reply) {
  constexpr std::chrono::nanoseconds kDay = std::chrono::hours(24);
  const auto bounded = [&](std::int64_t claim) {
    return std::clamp(std::chrono::nanoseconds(claim), -kDay, kDay);
  };
  time.harness = bounded(reply.elapsed_ns);
  time.device = bounded(reply.device_ns);
}

}  // namespace opgrade
