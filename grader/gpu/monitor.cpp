#include "grader/gpu/monitor.hpp"

#include <dlfcn.h>

#include <array>

namespace opgrade {
namespace {

struct Reason {
  unsigned long long bit;
  const char* words;
};

// nvmlClocksThrottleReason* of nvml.h, unchanged since the interface exists.
constexpr unsigned long long kPowerCap = 0x04;
constexpr std::array kSlowing{
    Reason{kPowerCap, "power cap"},   Reason{0x08, "hardware slowdown"},
    Reason{0x20, "thermal slowdown"}, Reason{0x40, "hardware thermal slowdown"},
    Reason{0x80, "power brake"},
};
constexpr double kCappedBelow = 0.75;  // of the highest clock

constexpr int kSmClock = 1;  // NVML_CLOCK_SM

}  // namespace

std::vector<std::string> slowed_by(unsigned long long bits, int sm_clock, int highest_sm_clock) {
  if (sm_clock >= kCappedBelow * highest_sm_clock && highest_sm_clock > 0) bits &= ~kPowerCap;
  std::vector<std::string> words;
  for (const Reason& reason : kSlowing)
    if ((bits & reason.bit) != 0) words.emplace_back(reason.words);
  return words;
}

// Declared here: opgrade is built without CUDA, too, and these signatures are frozen.
struct GpuMonitor::Library {
  void* handle = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  void* device = nullptr;
  unsigned highest_clock = 0;
  int (*shutdown)() = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;

  template <class Function>
  void find(Function& function, const char* name) const {
    if (handle != nullptr) function = reinterpret_cast<Function>(::dlsym(handle, name));
  }
};

GpuMonitor::GpuMonitor(const std::string& uuid) : library_(std::make_unique<Library>()) {
  Library& nvml = *library_;
  int (*init)() = nullptr;
  int (*by_uuid)(const char*, void**) = nullptr;
  nvml.find(init, "nvmlInit_v2");
  nvml.find(by_uuid, "nvmlDeviceGetHandleByUUID");
  nvml.find(nvml.clock, "nvmlDeviceGetClockInfo");
  nvml.find(nvml.temperature, "nvmlDeviceGetTemperature");
  nvml.find(nvml.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  if (init == nullptr || by_uuid == nullptr || init() != 0) return;
  nvml.find(nvml.shutdown, "nvmlShutdown");
  if (by_uuid(uuid.c_str(), &nvml.device) != 0) nvml.device = nullptr;
  int (*highest)(void*, int, unsigned*) = nullptr;
  nvml.find(highest, "nvmlDeviceGetMaxClockInfo");
  if (nvml.device == nullptr || highest == nullptr ||
      highest(nvml.device, kSmClock, &nvml.highest_clock) != 0) {
    nvml.highest_clock = 0;
  }
}

GpuMonitor::~GpuMonitor() {
  if (library_->shutdown != nullptr) library_->shutdown();
  if (library_->handle != nullptr) ::dlclose(library_->handle);
}

std::optional<GpuMonitor::Sample> GpuMonitor::sample() const {
  const Library& nvml = *library_;
  if (nvml.device == nullptr || nvml.clock == nullptr || nvml.temperature == nullptr ||
      nvml.reasons == nullptr) {
    return std::nullopt;
  }
  constexpr int kCore = 0;
  unsigned clock = 0;
  unsigned temperature = 0;
  unsigned long long bits = 0;
  if (nvml.clock(nvml.device, kSmClock, &clock) != 0 ||
      nvml.temperature(nvml.device, kCore, &temperature) != 0 ||
      nvml.reasons(nvml.device, &bits) != 0) {
    return std::nullopt;
  }
  const int mhz = static_cast<int>(clock);
  return Sample{mhz, static_cast<int>(temperature),
                slowed_by(bits, mhz, static_cast<int>(nvml.highest_clock))};
}

}  // namespace opgrade
