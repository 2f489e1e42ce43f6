/// What a multiprocessor needs at least for what a kernel did, in its clocks.
#pragma once

#include "grader/base/core/gpu_rates.hpp"
#include "grader/base/core/profile.hpp"

namespace opgrade {

/// Passes through the load and store units, which take 128 bytes a clock.
double passes(const ProfileAccessRow& access);
/// For device memory: each element of an array comes once, with the whole sector around it.
double memory_clocks(const ProfileCountRow& row, const ProfileAccessRow& access,
                     const GpuRates& rates);

struct Costs {
  double passes = 0, arithmetic = 0, memory = 0;

  /// The units work at the same time.
  double clocks() const;
  /// The clocks saved by so many passes less, and so many clocks of device memory less.
  double saved_by(double fewer_passes, double fewer_memory = 0) const;
};

/// Each kernel's limit and least time on the GPU `counted.roofline`.
void add_limits(ProfileReport& counted);

Costs costs_of(const ProfileCountRow& row, const GpuRates& rates);

}  // namespace opgrade
