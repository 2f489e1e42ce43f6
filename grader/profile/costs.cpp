#include "grader/profile/costs.hpp"

#include <algorithm>

namespace opgrade {

double passes(const ProfileAccessRow& access) {
  const auto requests = static_cast<double>(access.requests);
  if (access.space == "shared") return static_cast<double>(access.wavefronts);
  // A word that the whole warp reads comes with the instruction that uses it.
  if (access.space == "constant") return static_cast<double>(access.wavefronts) - requests;
  if (access.use == "atomic" && access.crowd > 1) return static_cast<double>(access.lanes);
  return std::max(requests, static_cast<double>(access.sectors) / 4);
}

double Costs::clocks() const { return std::max({passes, arithmetic, memory}); }

double Costs::saved_by(double fewer_passes) const {
  return clocks() - Costs{std::max(passes - fewer_passes, 0.0), arithmetic, memory}.clocks();
}

Costs costs_of(const ProfileCountRow& row, const MultiprocessorRates& rates) {
  Costs costs;
  double bytes = 0;
  for (const ProfileAccessRow& access : row.accesses) {
    costs.passes += passes(access);
    if (access.space == "global" && access.use != "load")
      bytes += 32 * static_cast<double>(access.least_sectors);
  }
  for (const ProfileArrayRow& array : row.arrays) bytes += 4 * static_cast<double>(array.of_grids);
  costs.arithmetic = static_cast<double>(row.of_float.instructions()) / rates.fp32 +
                     static_cast<double>(row.of_double.instructions()) / rates.fp64;
  costs.memory = bytes / rates.memory_bytes;
  return costs;
}

}  // namespace opgrade
