/// Op Times of the reference solution on this machine, for limits that are multiples of them.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "grader/app/call_costs.hpp"
#include "grader/app/gpu_pool.hpp"
#include "grader/app/model_store.hpp"
#include "grader/build/toolchain.hpp"
#include "grader/config/config.hpp"
#include "grader/core/device.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

/// Safe to use from several threads at once.
class ReferenceTimes {
 public:
  /// All of them must outlive it; `harness` is the program, where the sandbox's user may read it.
  ReferenceTimes(const Config& config, const Toolchain& tools, const Sandbox& sandbox,
                 ModelStore& models, GpuPool& gpus, std::filesystem::path harness, CallCosts& costs,
                 const Log& log);

  /// In ms, as `rule` adds up and takes samples; built and measured when first asked for, as
  /// submissions are. Nothing where the device gives no times. Throws Error when it fails.
  std::optional<double> of(const StageConfig& stage, Device device, const OpTimeRule& rule);

 private:
  std::optional<double> measure(const StageConfig& stage, Device device, const OpTimeRule& rule);

  const Config& config_;
  const Toolchain& tools_;
  const Sandbox& sandbox_;
  ModelStore& models_;
  GpuPool& gpus_;
  const std::filesystem::path harness_;
  CallCosts& costs_;
  const Log& log_;
  std::mutex guard_;
  std::map<std::string, std::optional<double>> times_;
};

}  // namespace opgrade
