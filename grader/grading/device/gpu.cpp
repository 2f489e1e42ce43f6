#include "grader/grading/device/gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "grader/base/core/whole_number.hpp"

namespace opgrade {
namespace {

/// The driver's own list, in the order of the bus. Reading it is quick; starting the library takes
/// a tenth of a second. Empty if a line is missing, before a device is first used, when its UUID is
/// question marks, or if a device has no node: a container's /proc has the devices of its machine,
/// and its /dev those that the container was given.
std::vector<GpuId> listed(const std::filesystem::path& root) {
  std::error_code missing;
  std::vector<std::filesystem::path> places;
  for (const auto& entry :
       std::filesystem::directory_iterator(root / "proc/driver/nvidia/gpus", missing))
    places.push_back(entry.path() / "information");
  std::ranges::sort(places);
  std::vector<GpuId> found;
  for (const auto& place : places) {
    GpuId id;
    std::string minor;
    std::ifstream file(place);
    for (std::string line; std::getline(file, line);) {
      const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
      if (value == line.npos) continue;
      if (line.starts_with("Model:")) id.name = line.substr(value);
      if (line.starts_with("GPU UUID:")) id.uuid = line.substr(value);
      if (line.starts_with("Device Minor:")) minor = line.substr(value);
    }
    if (id.name.empty() || !id.uuid.starts_with("GPU-") || id.uuid.find('?') != id.uuid.npos ||
        minor.empty() || !std::filesystem::exists(root / "dev" / ("nvidia" + minor), missing))
      return {};
    found.push_back(std::move(id));
  }
  return found;
}

/// The device that an entry of CUDA_VISIBLE_DEVICES names.
const GpuId* named(const std::vector<GpuId>& all, std::string_view entry) {
  const auto begin = entry.find_first_not_of(' ');
  entry = begin == entry.npos ? "" : entry.substr(begin, entry.find_last_not_of(' ') + 1 - begin);
  if (const auto number = whole_number<std::size_t>(entry))
    return *number < all.size() ? &all[*number] : nullptr;
  if (!entry.starts_with("GPU-") && !entry.starts_with("MIG-")) return nullptr;
  const auto found =
      std::ranges::find_if(all, [&](const GpuId& id) { return id.uuid.starts_with(entry); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<GpuId> visible_to_cuda(const std::vector<GpuId>& all, const char* variable) {
  if (variable == nullptr) return all;
  std::vector<GpuId> visible;
  for (std::string_view rest = variable;;) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string_view entry = rest.substr(0, comma);
    const GpuId* const device = named(all, entry);
    // A part of a device has a UUID of its own, which is not in the list: it is taken as it is.
    if (device == nullptr && !entry.starts_with("MIG-")) return visible;
    visible.push_back(device != nullptr ? *device : GpuId{"a part of a GPU", std::string(entry)});
    if (comma == rest.size()) return visible;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<GpuId> machine_gpus(const std::filesystem::path& root, const Nvml& nvml) {
  auto gpus = listed(root);
  return gpus.empty() ? nvml.devices() : gpus;
}

std::vector<GpuId> find_gpus() {
  return visible_to_cuda(machine_gpus(), std::getenv("CUDA_VISIBLE_DEVICES"));
}

int count_of_one_model(const std::vector<GpuId>& gpus) {
  return static_cast<int>(
      std::ranges::count_if(gpus, [&](const GpuId& gpu) { return gpu.name == gpus.front().name; }));
}

std::optional<std::string> cuda_architecture(const std::vector<GpuId>& gpus, const Nvml& nvml) {
  std::optional<int> oldest;
  for (const GpuId& gpu : gpus) {
    const auto device = nvml.find(gpu.uuid);
    const auto capability = device ? nvml.compute_capability(*device) : std::nullopt;
    if (!capability) return std::nullopt;
    oldest = std::min(oldest.value_or(*capability), *capability);
  }
  return oldest ? std::optional("sm_" + std::to_string(*oldest)) : std::nullopt;
}

std::optional<std::string> find_gpu() {
  const auto gpus = find_gpus();
  return gpus.empty() ? std::nullopt : std::optional(gpus.front().name);
}

}  // namespace opgrade
