/// Op Times of the reference solution on this machine, for limits that are multiples of them.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "grader/base/core/device.hpp"
#include "grader/grading/pipeline/grading_bench.hpp"
#include "grader/grading/pipeline/reference_build.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Safe to use from several threads at once.
class ReferenceTimes {
 public:
  /// `bench` must outlive this object.
  explicit ReferenceTimes(const GradingBench& bench) : bench_(bench) {}

  /// The time in ms, as `rule` adds up and takes samples. The solution is built and measured at the
  /// first request, as submissions are. Absent if the device gives no times. Throws Error if it
  /// fails.
  std::optional<double> of(const StageConfig& stage, Device device, const OpTimeRule& rule) {
    return once({folder_of_solution(bench_.config, stage)}, stage, device, rule);
  }
  std::optional<double> of_serial(const StageConfig& stage, Device device, const OpTimeRule& rule) {
    return once({folder_of_serial(bench_.config, stage), true}, stage, device, rule);
  }

 private:
  struct Solution {
    std::filesystem::path folder;
    bool serial = false;
  };
  std::optional<double> once(const Solution& solution, const StageConfig& stage, Device device,
                             const OpTimeRule& rule);
  std::optional<double> measure(const Solution& solution, const StageConfig& stage, Device device,
                                const OpTimeRule& rule);

  const GradingBench& bench_;
  std::mutex guard_;
  std::map<std::string, std::optional<double>> times_;
};

}  // namespace opgrade
