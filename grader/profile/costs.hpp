/// What a multiprocessor needs at least for what a kernel did, in its clocks.
#pragma once

#include "grader/core/profile.hpp"

namespace opgrade {

/// Rates of one multiprocessor. The ratios matter, not the sizes.
struct MultiprocessorRates {
  double fp32 = 128, fp64 = 64;  ///< instructions of threads a clock
  double memory_bytes = 18;      ///< of device memory a clock
};

/// Passes through the load and store units, which take 128 bytes a clock.
double passes(const ProfileAccessRow& access);
/// For device memory: each element of an array comes once, with the whole sector around it.
double memory_clocks(const ProfileCountRow& row, const ProfileAccessRow& access,
                     const MultiprocessorRates& rates = {});

struct Costs {
  double passes = 0, arithmetic = 0, memory = 0;

  /// The units work at the same time.
  double clocks() const;
  /// What is saved with so many passes less, and so many clocks of device memory.
  double saved_by(double fewer_passes, double fewer_memory = 0) const;
};

Costs costs_of(const ProfileCountRow& row, const MultiprocessorRates& rates = {});

}  // namespace opgrade
