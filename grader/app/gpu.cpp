#include "grader/app/gpu.hpp"

#include <dlfcn.h>

#include <array>
#include <memory>

namespace opgrade {
namespace {

// The few calls of libnvidia-ml.so.1 that are used; their signatures have not changed since 2013.
using Init = int (*)();
using Count = int (*)(unsigned*);
using HandleByIndex = int (*)(unsigned, void**);
using Name = int (*)(void*, char*, unsigned);

std::optional<std::string> ask() {
  const std::unique_ptr<void, int (*)(void*)> library(
      ::dlopen("libnvidia-ml.so.1", RTLD_NOW),
      [](void* handle) { return handle != nullptr ? ::dlclose(handle) : 0; });
  if (!library) return std::nullopt;
  const auto find = [&](const char* name) { return ::dlsym(library.get(), name); };
  const auto init = reinterpret_cast<Init>(find("nvmlInit_v2"));
  const auto count = reinterpret_cast<Count>(find("nvmlDeviceGetCount_v2"));
  const auto handle_of = reinterpret_cast<HandleByIndex>(find("nvmlDeviceGetHandleByIndex_v2"));
  const auto name_of_device = reinterpret_cast<Name>(find("nvmlDeviceGetName"));
  const auto shutdown = reinterpret_cast<Init>(find("nvmlShutdown"));
  if (!init || !count || !handle_of || !name_of_device || !shutdown || init() != 0)
    return std::nullopt;

  unsigned devices = 0;
  void* device = nullptr;
  std::array<char, 96> name{};
  const bool found = count(&devices) == 0 && devices > 0 && handle_of(0, &device) == 0 &&
                     name_of_device(device, name.data(), name.size()) == 0;
  shutdown();
  return found ? std::optional<std::string>(name.data()) : std::nullopt;
}

}  // namespace

std::optional<std::string> find_gpu() {
  static const auto gpu = ask();
  return gpu;
}

}  // namespace opgrade
