#include "grader/grading/profile/costs.hpp"

#include <algorithm>

namespace opgrade {

double passes(const ProfileAccessRow& access) {
  const auto requests = static_cast<double>(access.requests);
  if (access.space == "shared") return static_cast<double>(access.wavefronts);
  // A word that the whole warp reads comes with the instruction that uses it.
  if (access.space == "constant") return static_cast<double>(access.wavefronts) - requests;
  const auto turns = static_cast<double>(access.use == "atomic" ? access.crowd : 0);
  return std::max({requests, static_cast<double>(access.sectors) / 4, turns});
}

double Costs::clocks() const { return std::max({passes, arithmetic, memory}); }

double Costs::saved_by(double fewer_passes, double fewer_memory) const {
  return clocks() - Costs{std::max(passes - fewer_passes, 0.0), arithmetic,
                          std::max(memory - fewer_memory, 0.0)}
                        .clocks();
}

double memory_clocks(const ProfileCountRow& row, const ProfileAccessRow& access,
                     const GpuRates& rates) {
  // If little of a sector is missing, neighbouring requests use the rest of it.
  constexpr std::int64_t kScattered = 4;
  const bool scattered = access.sectors > kScattered * access.least_sectors;
  const double all = 32 * static_cast<double>(scattered ? access.sectors : access.least_sectors) /
                     rates.memory_bytes();
  if (access.use != "load") return all;
  const auto array = static_cast<std::size_t>(access.array);
  if (array == 0 || array > row.arrays.size() || row.arrays[array - 1].loads == 0) return 0;
  return all * static_cast<double>(row.arrays[array - 1].of_grids) /
         static_cast<double>(row.arrays[array - 1].loads);
}

void add_limits(ProfileReport& counted) {
  const GpuRates& rates = gpu_rates(counted.roofline);
  for (ProfileCountRow& row : counted.counts) {
    const Costs costs = costs_of(row, rates);
    const double most = costs.clocks();
    row.memory_bytes = static_cast<std::int64_t>(costs.memory * rates.memory_bytes());
    row.limit = costs.arithmetic == most ? "arithmetic"
                : costs.passes == most   ? "load units"
                                         : "memory";
    row.least_ns = 1e9 * most / rates.multiprocessors / rates.hertz;
  }
}

Costs costs_of(const ProfileCountRow& row, const GpuRates& rates) {
  Costs costs;
  for (const ProfileAccessRow& access : row.accesses) {
    costs.passes += passes(access);
    costs.memory += memory_clocks(row, access, rates);
  }
  costs.arithmetic = static_cast<double>(row.of_float.instructions()) / rates.fp32 +
                     static_cast<double>(row.of_double.instructions()) / rates.fp64;
  return costs;
}

}  // namespace opgrade
