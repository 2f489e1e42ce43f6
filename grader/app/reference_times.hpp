/// Op Times of the reference solution on this machine, for limits that are multiples of them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "grader/app/machine.hpp"
#include "grader/config/config.hpp"
#include "grader/core/device.hpp"
#include "grader/core/events.hpp"
#include "grader/task/model.hpp"
#include "grader/task/reference_code.hpp"

namespace opgrade {

/// Safe to use from several threads at once.
class ReferenceTimes {
 public:
  /// All of them must outlive it; `models` and `reference` are null where the task has none.
  ReferenceTimes(const Config& config, Machine& machine, Models* models,
                 std::shared_ptr<ReferenceCode> reference, const Listener& listen)
      : config_(config),
        machine_(machine),
        models_(models),
        reference_(std::move(reference)),
        listen_(listen) {}

  /// In ms, as `rule` adds up and takes samples; built and measured when first asked for, as
  /// submissions are. Nothing where the device gives no times. Throws Error when it fails.
  std::optional<double> of(const StageConfig& stage, Device device, const OpTimeRule& rule);

 private:
  std::optional<double> measure(const StageConfig& stage, Device device, const OpTimeRule& rule);

  const Config& config_;
  Machine& machine_;
  Models* const models_;
  const std::shared_ptr<ReferenceCode> reference_;
  const Listener& listen_;
  std::mutex guard_;
  std::map<std::string, std::optional<double>> times_;
};

}  // namespace opgrade
