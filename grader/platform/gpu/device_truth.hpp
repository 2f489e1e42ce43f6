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
/// where device memory is short.
class DeviceTruth {
 public:
  virtual ~DeviceTruth() = default;

  /// Copies the inputs that are the same in all calls to the device.
  virtual void load(const DeviceProblem& problem) = 0;

  /// Of the output: each is held against a scale of its own.
  virtual int parts() const = 0;
  virtual std::int64_t part_elements() const = 0;
  /// How many parts compute() is given at most; at least 1.
  virtual int parts_at_a_time() const = 0;

  /// For each part, what its errors are held against at least. Device memory; valid until load().
  virtual const double* least_scales() const = 0;

  /// Computes the outputs of parts first .. first + count - 1 into `want`. Raises
  /// largest[part - first] to the bits of the part's largest |want|: non-negative doubles order as
  /// integers. `fresh` is the input of this call. All pointers are device memory.
  virtual void compute(const float* fresh, double* want, unsigned long long* largest, int first,
                       int count) = 0;

  /// One element of the output, by the host. `fresh` gives an element of this call's input.
  virtual double want(std::int64_t index,
                      const std::function<double(std::int64_t)>& fresh) const = 0;
};

/// `own_bytes` counts its device memory and outlives it. Throws std::logic_error for an unknown
/// name.
std::unique_ptr<DeviceTruth> make_device_truth(std::string_view name, std::size_t& own_bytes);

}  // namespace opgrade
