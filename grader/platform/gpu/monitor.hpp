/// Clock, temperature and throttling of one GPU, from NVIDIA's management library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/platform/gpu/nvml.hpp"

namespace opgrade {

class GpuMonitor {
 public:
  /// `uuid` as CUDA_VISIBLE_DEVICES takes it ("GPU-..."). Without the library, or where it does not
  /// answer, there are no samples.
  explicit GpuMonitor(const std::string& uuid, const Nvml& nvml = Nvml::of_machine());

  struct Sample {
    int sm_clock_mhz = 0;
    int temperature_c = 0;
    std::vector<std::string> throttled_by;  ///< as slowed_by tells, and programs of others
  };
  std::optional<Sample> sample() const;

 private:
  const Nvml& nvml_;
  std::optional<Nvml::Device> device_;
  int highest_sm_clock_ = 0;  ///< MHz; 0 where it is not known
};

/// The reasons for a reduced clock that make a timed call unusable; empty when there are none. The
/// `bits` are those of nvmlDeviceGetCurrentClocksThrottleReasons, the clocks in MHz.
///
/// Heat, a hardware slowdown and the power brake always are such reasons. The software power cap is
/// one only while the clock is below 75 % of the device's highest. A device at its power limit
/// reports the cap all the time, at clocks somewhat down. Dropping these samples would leave none,
/// and they are how that device works. nvbench drops a sample below 75 % by default, from the clock
/// alone. Where the highest clock is not known (0), the power cap counts.
///
/// Idling, a set application clock, a display and sync boost are no such reasons.
std::vector<std::string> slowed_by(unsigned long long bits, int sm_clock, int highest_sm_clock);

}  // namespace opgrade
