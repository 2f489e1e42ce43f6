/// A task's own part of the referee: the double-precision outputs of a problem, computed on the
/// device. The folder grader/task/<task>/device/ holds it; CMake writes the table of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "grader/platform/gpu/referee.hpp"

namespace opgrade {

/// All kernels run in the default stream; cudaGetLastError() reports a failed launch. Throws Error
/// if there is not enough device memory.
class DeviceTruth {
 public:
  virtual ~DeviceTruth() = default;

  /// Copies the inputs that all calls share to the device.
  virtual void load(const DeviceProblem& problem) = 0;

  /// The number of the output's parts. Each part's errors are compared with a scale of its own.
  virtual int parts() const = 0;
  virtual std::int64_t part_elements() const = 0;
  /// The largest `count` for compute(); at least 1.
  virtual int parts_at_a_time() const = 0;

  /// For each part, the least scale for its errors. Device memory; valid until load().
  virtual const double* least_scales() const = 0;

  /// Computes the outputs of parts first .. first + count - 1 into `want`. Raises
  /// largest[part - first] to the bits of the part's largest |want|: non-negative doubles order as
  /// integers. `fresh` is the input of this call. All pointers are device memory.
  virtual void compute(const float* fresh, double* want, unsigned long long* largest, int first,
                       int count) = 0;

  /// Computes one element of the output on the host. `fresh` gives an element of this call's input.
  virtual double want(std::int64_t index,
                      const std::function<double(std::int64_t)>& fresh) const = 0;
};

/// `own_bytes` counts its device memory and must outlive it. Throws std::logic_error if the name is
/// unknown.
std::unique_ptr<DeviceTruth> make_device_truth(std::string_view name, std::size_t& own_bytes);

}  // namespace opgrade
