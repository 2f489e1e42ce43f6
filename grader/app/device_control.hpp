/// Tells a broken GPU, driver or toolkit from a broken submission.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "grader/app/case_run.hpp"
#include "grader/app/gpu_pool.hpp"
#include "grader/build/toolchain.hpp"
#include "grader/config/config.hpp"
#include "grader/core/temp_dir.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

/// Whether a case that ended like this may have met a device that does not work for anybody. What
/// its process says of the device is no evidence: anyone can print "no kernel image is available".
bool may_be_the_device(const CaseReport& report, Device device);

/// The reference solution, built and run as submissions are: same compiler and options, same
/// sandbox, same device, in a process that starts when that of the submission is gone.
class DeviceControl {
 public:
  DeviceControl(const Config& config, const Toolchain& tools, const Sandbox& sandbox)
      : config_(config), tools_(tools), sandbox_(sandbox) {}

  /// Throws DeviceFault, with the cause that the device's words suggest, when the reference
  /// solution fails on a small convolution as well; any other Error means that it could not be
  /// tried. Built once a stage, then some tenths of a second.
  void check(const StageConfig& stage, const CaseContext& context);

 private:
  std::filesystem::path built(const StageConfig& stage, Device device);

  const Config& config_;
  const Toolchain& tools_;
  const Sandbox& sandbox_;
  std::mutex guard_;
  std::map<std::string, std::unique_ptr<TempDir>> built_;
};

}  // namespace opgrade
