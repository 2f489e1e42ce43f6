/// Clock, temperature and throttling of one GPU, from NVIDIA's management library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/platform/gpu/nvml.hpp"

namespace opgrade {

class GpuMonitor {
 public:
  /// `uuid` is in the form of CUDA_VISIBLE_DEVICES ("GPU-..."). There are no samples if the library
  /// is missing or does not answer.
  explicit GpuMonitor(const std::string& uuid, const Nvml& nvml = Nvml::of_machine());

  struct Sample {
    int sm_clock_mhz = 0;
    int temperature_c = 0;
    std::vector<std::string> throttled_by;  ///< the result of slowed_by(), and programs of others
  };
  std::optional<Sample> sample() const;

 private:
  const Nvml& nvml_;
  std::optional<Nvml::Device> device_;
  int highest_sm_clock_ = 0;  ///< MHz; 0 if unknown
};

/// The reasons for a reduced clock that make a timed call unusable; empty if there are none. `bits`
/// are those of nvmlDeviceGetCurrentClocksThrottleReasons, the clocks are in MHz.
///
/// Heat, a hardware slowdown and the power brake are always such reasons. The software power cap
/// counts only while the clock is below 75 % of the device's highest: a device at its power limit
/// reports the cap all the time, at slightly reduced clocks. Those samples are kept, because the
/// device always works like that, and dropping them would leave none. nvbench, too, drops a sample
/// below 75 % by default, judging by the clock alone. If the highest clock is unknown (0), the
/// power cap always counts.
///
/// Idling, a set application clock, a display and sync boost are no such reasons.
std::vector<std::string> slowed_by(unsigned long long bits, int sm_clock, int highest_sm_clock);

}  // namespace opgrade
