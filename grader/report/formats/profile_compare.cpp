#include "grader/report/formats/profile_compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/base/core/counts.hpp"
#include "grader/report/words/profile_tables.hpp"
#include "grader/report/words/text_layout.hpp"

namespace opgrade::report {
namespace {

const ProfileReport* first_counted(const Grade& view) {
  for (const auto& stage : view.stages)
    for (const auto& c : stage.cases)
      if (c.profile && !c.profile->counts.empty()) return &*c.profile;
  return nullptr;
}

}  // namespace

ProfileComparison compare_profiles(const Grade& before, const Grade& after, Audience audience) {
  const Grade first = view_for(before, audience), second = view_for(after, audience);
  const ProfileReport* const old_counts = first_counted(first);
  const ProfileReport* const new_counts = first_counted(second);
  if (old_counts == nullptr || new_counts == nullptr) {
    const std::string& without = (old_counts == nullptr ? before : after).submission;
    return {fmt::format("No comparison: {0} has no counts. Its case has to pass on the emulated "
                        "device; opgrade profile {0} shows it.",
                        without),
            {}};
  }
  ProfileComparison comparison{fmt::format("Counts of {} and {}. {}", before.submission,
                                           after.submission, counted_sizes(*new_counts)),
                               {}};
  for (const CountName& count : count_names()) {
    const double was = count.value(*old_counts, -1), is = count.value(*new_counts, -1);
    if (was == 0 && is == 0) continue;
    comparison.rows.push_back({std::string(count.name), rounded_count(was), rounded_count(is),
                               was > 0 ? fmt::format("{:+.1f} %", 100 * (is - was) / was) : ""});
  }
  return comparison;
}

std::string profile_comparison(const Grade& before, const Grade& after, Audience audience,
                               const TextStyle& style) {
  const ProfileComparison comparison = compare_profiles(before, after, audience);
  const int width = std::max(style.width, 40);
  std::string text = wrap(comparison.sentence, width, "", "  ");
  if (comparison.rows.empty()) return text;
  std::vector<Table::Column> columns;
  for (const char* const title : ProfileComparison::kTitles)
    columns.push_back({title, !columns.empty()});
  Table table(columns);
  for (const auto& [count, was, is, change] : comparison.rows)
    table.add({{count}, {was}, {is}, {change}});
  return text + table.str(width, "  ", style.colour);
}

}  // namespace opgrade::report
