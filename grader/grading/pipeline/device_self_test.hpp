/// Distinguishes a broken GPU, driver or toolkit from a broken submission.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/build/toolchain.hpp"
#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/device/gpu_pool.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// True if a case that ended like this may have met a broken device. What its process says about
/// the device is no evidence: any program can print "no kernel image is available".
bool could_be_device_fault(const CaseReport& report, Device device);

/// Runs the reference solution, which is built and run as submissions are: same compiler and
/// options, same sandbox, same device. Its process starts after the submission's has ended.
class DeviceSelfTest {
 public:
  DeviceSelfTest(const Config& config, const Toolchain& tools, const Sandbox& sandbox)
      : config_(config), tools_(tools), sandbox_(sandbox) {}

  /// Throws DeviceFault, with the cause that the device's words suggest, if the reference solution
  /// also fails on a small convolution. Any other Error means that it could not be tried. It is
  /// built once a stage and then takes some tenths of a second.
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
