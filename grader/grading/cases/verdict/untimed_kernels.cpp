#include "grader/grading/cases/verdict/untimed_kernels.hpp"

#include <algorithm>

#include "grader/grading/measure/times.hpp"
#include "grader/report/words/note_words.hpp"

namespace opgrade {

std::int64_t untimed_launches(const ProfileReport& profile) {
  std::int64_t sum = 0;
  for (const auto& layer : profile.layers) sum += layer.outside_launches;
  return sum;
}

bool has_outside_work_in_op_times(const CaseReport& c, OutsideWork policy) {
  return policy == OutsideWork::count && !c.calls.empty() &&
         std::ranges::all_of(c.calls, [](const CallReport& call) {
           return call.timed && !call.measurement.whole_layer.empty();
         });
}

std::optional<notes::LaunchesOutside> apply_untimed_kernels(JudgedCase& c,
                                                            const ProfileReport& profile,
                                                            OutsideWork policy,
                                                            std::string_view operation) {
  notes::LaunchesOutside found{.launches = untimed_launches(profile),
                               .operation = std::string(operation),
                               .counted = policy == OutsideWork::count};
  if (found.launches == 0) return {};
  for (const auto& layer : profile.layers) found.ms += static_cast<double>(layer.outside_ns) * 1e-6;
  switch (policy) {
    case OutsideWork::allow:
      return found;
    case OutsideWork::reject:
      c.evidence.forbidden_work = why::OutsideLaunches{found.launches, found.ms, found.operation};
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
        {.reason = report::launches_text(found),
         .op_ms = static_cast<double>(profile.layers[i].outside_ns) * 1e-6});
    set_times(call);
  }
  return found;
}

}  // namespace opgrade
