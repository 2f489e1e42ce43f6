#include "grader/cases/verdict/untimed_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/measure/times.hpp"

namespace opgrade {

std::int64_t untimed_launches(const ProfileReport& profile) {
  std::int64_t sum = 0;
  for (const auto& layer : profile.layers) sum += layer.outside_launches;
  return sum;
}

std::string apply_untimed_kernels(JudgedCase& c, const ProfileReport& profile, OutsideWork policy,
                                  std::string_view operation) {
  const std::int64_t launches = untimed_launches(profile);
  if (launches == 0) return {};
  double ms = 0;
  for (const auto& layer : profile.layers) ms += static_cast<double>(layer.outside_ns) * 1e-6;
  const std::string what = fmt::format("{} kernel launch{} outside the {} call ({:.3g} ms)",
                                       launches, launches == 1 ? "" : "es", operation, ms);
  switch (policy) {
    case OutsideWork::allow:
      return what + "; the config allows that, and Op Time lacks it";
    case OutsideWork::reject:
      c.evidence.forbidden_work = why::OutsideLaunches{launches, ms, std::string(operation)};
      return {};
    case OutsideWork::count:
      break;
  }
  const auto layers = std::min(c.calls.size(), profile.layers.size());
  for (std::size_t i = 0; i < layers; ++i) {
    CallReport& call = c.calls[i];
    if (!call.timed || !call.measurement.whole_layer.empty() || profile.layers[i].outside_ns == 0)
      continue;
    call.measurement.adjustments.push_back(
        {.reason = what, .op_ms = static_cast<double>(profile.layers[i].outside_ns) * 1e-6});
    set_times(call);
  }
  return what + "; their time is counted into Op Time";
}

}  // namespace opgrade
