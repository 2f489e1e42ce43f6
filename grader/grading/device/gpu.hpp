/// The GPUs of this machine, from NVIDIA's driver or its management library. opgrade needs no CUDA
/// to be built or run, and asking here is quicker than opening a device.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/platform/gpu/nvml.hpp"

namespace opgrade {

/// All GPUs that can be used here; none without a driver. Below `root` are the driver's list,
/// proc/driver/nvidia/gpus, and the nodes in dev. `nvml` is asked, and so started, only if the list
/// does not tell.
std::vector<GpuId> machine_gpus(const std::filesystem::path& root = "/",
                                const Nvml& nvml = Nvml::of_machine());

/// The devices that CUDA programs started here would see: visible_to_cuda.
std::vector<GpuId> find_gpus();

/// How many of `gpus` are of the first one's model. A grading uses only GPUs of one model.
int count_of_one_model(const std::vector<GpuId>& gpus);

/// The architecture that nvcc must build for so that its code runs on each of `gpus`: the oldest
/// one's, such as "sm_80". Later devices translate that code when they load it. Returns nullopt if
/// there are no devices, or if the driver does not tell the architecture of one.
std::optional<std::string> cuda_architecture(const std::vector<GpuId>& gpus,
                                             const Nvml& nvml = Nvml::of_machine());

/// Name of the first GPU that CUDA programs see.
std::optional<std::string> find_gpu();

/// The devices of `all` that CUDA_VISIBLE_DEVICES (null if not set) leaves, by CUDA's rules. It has
/// numbers or beginnings of UUIDs between commas; the first entry that names no device ends the
/// list. The numbers count by place on the bus, which for devices of one model is CUDA's own order.
std::vector<GpuId> visible_to_cuda(const std::vector<GpuId>& all, const char* variable);

}  // namespace opgrade
