#include "grader/run/step_time.hpp"

#include <algorithm>
#include <cstdint>

namespace opgrade {

StepTime& StepTime::operator+=(const StepTime& other) {
  device += other.device;
  harness += other.harness;
  grader += other.grader;
  return *this;
}

bool StepTime::agree() const {
  using std::chrono::microseconds;
  // The ping's round trip may have been slower than the call's own.
  const auto grader_at_least = grader + microseconds(100);
  const auto slack = microseconds(300) + grader / 50;
  return device <= harness && harness <= grader_at_least && grader - harness <= slack;
}

StepTime claimed_time(const protocol::Reply& reply, std::chrono::nanoseconds grader) {
  constexpr std::chrono::nanoseconds kDay = std::chrono::hours(24);
  const auto bounded = [&](std::int64_t claim) {
    return std::clamp(std::chrono::nanoseconds(claim), -kDay, kDay);
  };
  return {bounded(reply.device_ns), bounded(reply.elapsed_ns), grader};
}

}  // namespace opgrade
