#include "grader/report/profile_compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/core/counts.hpp"
#include "grader/report/profile_tables.hpp"
#include "grader/report/text_layout.hpp"

namespace opgrade::report {
namespace {

const ProfileReport* first_counted(const Grade& view) {
  for (const auto& stage : view.stages)
    for (const auto& c : stage.cases)
      if (c.profile && !c.profile->counts.empty()) return &*c.profile;
  return nullptr;
}

}  // namespace

std::string profile_comparison(const Grade& before, const Grade& after, Audience audience,
                               const TextStyle& style) {
  const Grade first = view_for(before, audience), second = view_for(after, audience);
  const ProfileReport* const old_counts = first_counted(first);
  const ProfileReport* const new_counts = first_counted(second);
  const int width = std::max(style.width, 40);
  if (old_counts == nullptr || new_counts == nullptr)
    return wrap(fmt::format("No comparison: {} has no counts. Its case has to pass on the emulated "
                            "device; opgrade profile {} shows it.",
                            (old_counts == nullptr ? before : after).submission,
                            (old_counts == nullptr ? before : after).submission),
                width, "", "  ");
  Table table({{"count"}, {"before", true}, {"after", true}, {"change", true}});
  for (const CountName& count : count_names()) {
    const double was = count.value(*old_counts, -1), is = count.value(*new_counts, -1);
    if (was == 0 && is == 0) continue;
    table.add({{std::string(count.name)},
               {fmt::format("{:.10g}", was)},
               {fmt::format("{:.10g}", is)},
               {was > 0 ? fmt::format("{:+.1f} %", 100 * (is - was) / was) : ""}});
  }
  return wrap(fmt::format("Counts of {} and {}. {}", before.submission, after.submission,
                          counted_sizes(*new_counts)),
              width, "", "  ") +
         table.str(width, "  ", style.colour);
}

}  // namespace opgrade::report
