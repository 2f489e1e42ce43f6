#include "grader/platform/gpu/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <type_traits>
#include <utility>

namespace opgrade {
namespace {

constexpr int kSmClock = 1;     // NVML_CLOCK_SM
constexpr int kCoreSensor = 0;  // NVML_TEMPERATURE_GPU

}  // namespace

// Declared here because opgrade can be built without CUDA, and these signatures are frozen. All
// pointers stay null if the library is missing or does not start.
struct Nvml::Calls {
  /// nvmlProcessInfo_t
  struct ProcessInfo {
    unsigned pid;
    unsigned long long memory;
    unsigned instances[2];
  };

  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, void**) = nullptr;
  int (*by_uuid)(const char*, void**) = nullptr;
  int (*name)(void*, char*, unsigned) = nullptr;
  int (*uuid)(void*, char*, unsigned) = nullptr;
  int (*capability)(void*, int*, int*) = nullptr;
  int (*highest_clock)(void*, int, unsigned*) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*reasons)(void*, unsigned long long*) = nullptr;
  int (*processes)(void*, unsigned*, ProcessInfo*) = nullptr;

  explicit Calls(const char* library) {
    void* const handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return;
    const auto find = [&](auto& function, const char* symbol) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, symbol));
    };
    int (*init)() = nullptr;
    find(init, "nvmlInit_v2");
    if (init == nullptr || init() != 0) return;
    find(count, "nvmlDeviceGetCount_v2");
    find(by_index, "nvmlDeviceGetHandleByIndex_v2");
    find(by_uuid, "nvmlDeviceGetHandleByUUID");
    find(name, "nvmlDeviceGetName");
    find(uuid, "nvmlDeviceGetUUID");
    find(capability, "nvmlDeviceGetCudaComputeCapability");
    find(highest_clock, "nvmlDeviceGetMaxClockInfo");
    find(clock, "nvmlDeviceGetClockInfo");
    find(temperature, "nvmlDeviceGetTemperature");
    find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    find(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  }
};

namespace {

/// Returns a call's result, which is its last argument; nullopt if the call is missing or fails.
template <class Value, class Call, class... Arguments>
std::optional<Value> ask(Call call, Arguments... of) {
  Value value{};
  if (call == nullptr || call(of..., &value) != 0) return std::nullopt;
  return value;
}

std::optional<std::string> ask_text(int (*call)(void*, char*, unsigned), void* device) {
  std::array<char, 96> text{};  // NVML's own longest is 96 for both name and UUID
  if (call == nullptr || call(device, text.data(), text.size()) != 0) return std::nullopt;
  return text.data();
}

std::optional<int> number(std::optional<unsigned> value) {
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

}  // namespace

Nvml::Nvml(std::string library) : library_(std::move(library)) {}
Nvml::~Nvml() = default;

const Nvml& Nvml::of_machine() {
  static const Nvml nvml("libnvidia-ml.so.1");
  return nvml;
}

const Nvml::Calls& Nvml::calls() const {
  std::call_once(started_, [this] { calls_ = std::make_unique<const Calls>(library_.c_str()); });
  return *calls_;
}

const std::vector<GpuId>& Nvml::devices() const {
  std::call_once(listed_, [this] { devices_ = list(); });
  return devices_;
}

std::vector<GpuId> Nvml::list() const {
  std::vector<GpuId> found;
  const unsigned count = ask<unsigned>(calls().count).value_or(0);
  for (unsigned i = 0; i < count; ++i) {
    const auto device = ask<void*>(calls().by_index, i);
    if (!device) continue;
    const auto name = ask_text(calls().name, *device);
    const auto uuid = ask_text(calls().uuid, *device);
    if (name && uuid) found.push_back({*name, *uuid});
  }
  return found;
}

std::optional<Nvml::Device> Nvml::find(const std::string& uuid) const {
  const auto handle = ask<void*>(calls().by_uuid, uuid.c_str());
  return handle ? std::optional(Device{*handle}) : std::nullopt;
}

std::optional<int> Nvml::compute_capability(Device device) const {
  int major = 0;
  int minor = 0;
  const auto call = calls().capability;
  if (call == nullptr || call(device.handle, &major, &minor) != 0) return std::nullopt;
  return 10 * major + minor;
}

std::optional<int> Nvml::highest_sm_clock(Device device) const {
  return number(ask<unsigned>(calls().highest_clock, device.handle, kSmClock));
}

std::optional<int> Nvml::sm_clock(Device device) const {
  return number(ask<unsigned>(calls().clock, device.handle, kSmClock));
}

std::optional<int> Nvml::temperature(Device device) const {
  return number(ask<unsigned>(calls().temperature, device.handle, kCoreSensor));
}

std::optional<unsigned long long> Nvml::throttle_reasons(Device device) const {
  return ask<unsigned long long>(calls().reasons, device.handle);
}

std::vector<int> Nvml::processes(Device device) const {
  std::array<Calls::ProcessInfo, 256> all;
  unsigned count = all.size();
  const auto call = calls().processes;
  if (call == nullptr || call(device.handle, &count, all.data()) != 0) return {};
  std::vector<int> pids;
  for (unsigned i = 0; i < count; ++i) pids.push_back(static_cast<int>(all[i].pid));
  return pids;
}

}  // namespace opgrade
