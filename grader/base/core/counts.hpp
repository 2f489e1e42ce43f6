/// Names of what the kernels of one computation did, for configs, reports and documents.
#pragma once

#include <span>
#include <string_view>

#include "grader/base/core/profile.hpp"

namespace opgrade {

/// A sum, mean or share over the kernels of the timed call for one of
/// ProfileReport::counted_layers, or for all of them if `layer` is negative.
struct CountName {
  using Value = double (*)(const ProfileReport& counted, int layer);
  std::string_view name, meaning;
  Value value;
  Value ideal = nullptr;  ///< null: the count has none
};

/// The counts of what the outputs need: without useless loads, and without kernels that have only
/// useless loads.
ProfileReport without_useless_loads(const ProfileReport& counted);

std::span<const CountName> count_names();
const CountName* find_count(std::string_view name);

}  // namespace opgrade
