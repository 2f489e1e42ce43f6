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
  int (*by_uuid)(const char*, void**) = nullptr;
  int (*highest)(void*, int, unsigned*) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
  bool ready = false;

  Library() {
    void* const handle = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return;
    int (*init)() = nullptr;
    find(init, handle, "nvmlInit_v2");
    find(by_uuid, handle, "nvmlDeviceGetHandleByUUID");
    find(highest, handle, "nvmlDeviceGetMaxClockInfo");
    find(clock, handle, "nvmlDeviceGetClockInfo");
    find(temperature, handle, "nvmlDeviceGetTemperature");
    find(reasons, handle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    ready = init != nullptr && by_uuid != nullptr && clock != nullptr && temperature != nullptr &&
            reasons != nullptr && init() == 0;
  }

  /// Loaded once and never given back: starting it takes 14 ms and more, each time.
  static const Library& once() {
    static const Library library;
    return library;
  }

  template <class Function>
  static void find(Function& function, void* handle, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
  }
};

GpuMonitor::GpuMonitor(const std::string& uuid) : library_(Library::once()) {
  if (!library_.ready || library_.by_uuid(uuid.c_str(), &device_) != 0) device_ = nullptr;
  unsigned highest = 0;
  if (device_ != nullptr && library_.highest != nullptr &&
      library_.highest(device_, kSmClock, &highest) == 0) {
    highest_sm_clock_ = static_cast<int>(highest);
  }
}

std::optional<GpuMonitor::Sample> GpuMonitor::sample() const {
  if (device_ == nullptr) return std::nullopt;
  constexpr int kCore = 0;
  unsigned clock = 0;
  unsigned temperature = 0;
  unsigned long long bits = 0;
  if (library_.clock(device_, kSmClock, &clock) != 0 ||
      library_.temperature(device_, kCore, &temperature) != 0 ||
      library_.reasons(device_, &bits) != 0) {
    return std::nullopt;
  }
  const int mhz = static_cast<int>(clock);
  return Sample{mhz, static_cast<int>(temperature),
                slowed_by(bits, mhz, highest_sm_clock_)};
}

}  // namespace opgrade
