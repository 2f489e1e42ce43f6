#include "grader/platform/gpu/monitor.hpp"

#include <array>

#include "grader/platform/gpu/foreign_processes.hpp"

namespace opgrade {
namespace {

struct Slowing {
  unsigned long long bit;
  const char* words;
};

// nvmlClocksThrottleReason* of nvml.h, unchanged since the interface exists.
constexpr unsigned long long kPowerCap = 0x04;
constexpr std::array kSlowing{
    Slowing{kPowerCap, "power cap"},   Slowing{0x08, "hardware slowdown"},
    Slowing{0x20, "thermal slowdown"}, Slowing{0x40, "hardware thermal slowdown"},
    Slowing{0x80, "power brake"},
};
constexpr double kCappedBelow = 0.75;  // as a share of the highest clock

}  // namespace

std::vector<std::string> slowed_by(unsigned long long bits, int sm_clock, int highest_sm_clock) {
  if (sm_clock >= kCappedBelow * highest_sm_clock && highest_sm_clock > 0) bits &= ~kPowerCap;
  std::vector<std::string> words;
  for (const Slowing& one : kSlowing)
    if ((bits & one.bit) != 0) words.emplace_back(one.words);
  return words;
}

GpuMonitor::GpuMonitor(const std::string& uuid, const Nvml& nvml)
    : nvml_(nvml),
      device_(nvml.find(uuid)),
      highest_sm_clock_(device_ ? nvml.highest_sm_clock(*device_).value_or(0) : 0) {}

std::optional<GpuMonitor::Sample> GpuMonitor::sample() const {
  if (!device_) return std::nullopt;
  const auto mhz = nvml_.sm_clock(*device_);
  const auto temperature = nvml_.temperature(*device_);
  const auto reasons = nvml_.throttle_reasons(*device_);
  if (!mhz || !temperature || !reasons) return std::nullopt;
  Sample sample{*mhz, *temperature, slowed_by(*reasons, *mhz, highest_sm_clock_)};
  for (const std::string& other : foreign_processes(nvml_.processes(*device_)))
    sample.throttled_by.push_back("another program (" + other + ")");
  return sample;
}

}  // namespace opgrade
