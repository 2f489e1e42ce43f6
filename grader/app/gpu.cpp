#include "grader/app/gpu.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

namespace opgrade {
namespace {

// The few calls of libnvidia-ml.so.1 that are used; their signatures have not changed since 2013.
using Init = int (*)();
using Count = int (*)(unsigned*);
using HandleByIndex = int (*)(unsigned, void**);
using Text = int (*)(void*, char*, unsigned);

std::vector<GpuId> ask() {
  const std::unique_ptr<void, int (*)(void*)> library(
      ::dlopen("libnvidia-ml.so.1", RTLD_NOW),
      [](void* handle) { return handle != nullptr ? ::dlclose(handle) : 0; });
  if (!library) return {};
  const auto find = [&](const char* name) { return ::dlsym(library.get(), name); };
  const auto init = reinterpret_cast<Init>(find("nvmlInit_v2"));
  const auto count = reinterpret_cast<Count>(find("nvmlDeviceGetCount_v2"));
  const auto handle_of = reinterpret_cast<HandleByIndex>(find("nvmlDeviceGetHandleByIndex_v2"));
  const auto name_of_device = reinterpret_cast<Text>(find("nvmlDeviceGetName"));
  const auto uuid_of_device = reinterpret_cast<Text>(find("nvmlDeviceGetUUID"));
  const auto shutdown = reinterpret_cast<Init>(find("nvmlShutdown"));
  if (!init || !count || !handle_of || !name_of_device || !uuid_of_device || !shutdown ||
      init() != 0) {
    return {};
  }
  std::vector<GpuId> found;
  unsigned devices = 0;
  if (count(&devices) != 0) devices = 0;
  for (unsigned i = 0; i < devices; ++i) {
    void* device = nullptr;
    std::array<char, 96> name{}, uuid{};
    if (handle_of(i, &device) == 0 && name_of_device(device, name.data(), name.size()) == 0 &&
        uuid_of_device(device, uuid.data(), uuid.size()) == 0) {
      found.push_back({name.data(), uuid.data()});
    }
  }
  shutdown();
  return found;
}

/// The driver's own list, in the order of the bus: reading it takes no time, while starting the
/// library takes a tenth of a second. Empty where a line is missing: in a container, or before a
/// device that is not kept ready was used for the first time, when its UUID is question marks.
std::vector<GpuId> listed(const std::filesystem::path& folder) {
  std::error_code missing;
  std::vector<std::filesystem::path> places;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
    places.push_back(entry.path() / "information");
  std::ranges::sort(places);
  std::vector<GpuId> found;
  for (const auto& place : places) {
    GpuId id;
    std::ifstream file(place);
    for (std::string line; std::getline(file, line);) {
      const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
      if (value == line.npos) continue;
      if (line.starts_with("Model:")) id.name = line.substr(value);
      if (line.starts_with("GPU UUID:")) id.uuid = line.substr(value);
    }
    if (id.name.empty() || !id.uuid.starts_with("GPU-") || id.uuid.find('?') != id.uuid.npos)
      return {};
    found.push_back(std::move(id));
  }
  return found;
}

/// The device that an entry of CUDA_VISIBLE_DEVICES names.
const GpuId* named(const std::vector<GpuId>& all, std::string_view entry) {
  const auto begin = entry.find_first_not_of(' ');
  entry = begin == entry.npos ? "" : entry.substr(begin, entry.find_last_not_of(' ') + 1 - begin);
  std::size_t number = 0;
  const auto* const end = entry.data() + entry.size();
  if (const auto got = std::from_chars(entry.data(), end, number);
      got.ec == std::errc() && got.ptr == end) {
    return number < all.size() ? &all[number] : nullptr;
  }
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

std::vector<GpuId> machine_gpus(const std::filesystem::path& driver_list) {
  static const auto ask_once = [] {
    static const auto gpus = ask();
    return gpus;
  };
  auto gpus = listed(driver_list);
  return gpus.empty() ? ask_once() : gpus;
}

std::vector<GpuId> find_gpus() {
  return visible_to_cuda(machine_gpus(), std::getenv("CUDA_VISIBLE_DEVICES"));
}

std::optional<std::string> find_gpu() {
  const auto gpus = find_gpus();
  return gpus.empty() ? std::nullopt : std::optional(gpus.front().name);
}

}  // namespace opgrade
