/// Clock, temperature and throttling of one GPU, from NVIDIA's management library.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opgrade {

class GpuMonitor {
 public:
  /// `uuid` as CUDA_VISIBLE_DEVICES takes it ("GPU-..."). Without the library, or where it does not
  /// answer, there are no samples.
  explicit GpuMonitor(const std::string& uuid);
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  struct Sample {
    int sm_clock_mhz = 0;
    int temperature_c = 0;
    std::vector<std::string> throttled_by;  ///< heat or lack of power; empty when neither
  };
  std::optional<Sample> sample() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

/// The words for the bits of nvmlDeviceGetCurrentClocksThrottleReasons that slow a timed call.
/// Being idle, a set application clock, a display and sync boost are none of them.
std::vector<std::string> throttle_words(unsigned long long bits);

}  // namespace opgrade
