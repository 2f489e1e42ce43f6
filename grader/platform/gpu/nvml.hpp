/// NVIDIA's management library (NVML). It is loaded and started at most once, on first use, and
/// kept, because starting it takes 14 to 100 ms each time.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// A value that the library does not give is empty, which is never an error: the library, its
/// function or the driver may be missing, and opgrade works without them. Safe to use from several
/// threads at once.
class Nvml {
 public:
  /// The driver's library, as the loader finds it. A process should use only this one.
  static const Nvml& of_machine();

  /// `library` is a name for dlopen.
  explicit Nvml(std::string library);
  ~Nvml();

  /// In the order of the bus, as of the first call. The list is not refreshed: a device that is
  /// lost later must be seen to fail, and not look like a machine without a GPU. A device without a
  /// name or UUID is left out.
  const std::vector<GpuId>& devices() const;

  struct Device {
    void* handle;
  };
  /// `uuid` is in the form of devices() ("GPU-...").
  std::optional<Device> find(const std::string& uuid) const;

  /// Ten times the major number plus the minor number: 90 for 9.0, as in nvcc's sm_90.
  std::optional<int> compute_capability(Device device) const;
  std::optional<int> highest_sm_clock(Device device) const;  ///< MHz
  std::optional<int> sm_clock(Device device) const;          ///< MHz
  std::optional<int> temperature(Device device) const;       ///< degrees Celsius
  /// The bits of nvmlDeviceGetCurrentClocksThrottleReasons.
  std::optional<unsigned long long> throttle_reasons(Device device) const;
  /// The processes that compute on the device; empty if they are not known.
  std::vector<int> processes(Device device) const;

 private:
  struct Calls;
  const Calls& calls() const;
  std::vector<GpuId> list() const;

  std::string library_;
  mutable std::once_flag started_, listed_;
  mutable std::unique_ptr<const Calls> calls_;
  mutable std::vector<GpuId> devices_;
};

}  // namespace opgrade
