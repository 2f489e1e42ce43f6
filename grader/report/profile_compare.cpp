#include "grader/report/profile_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/report/text_layout.hpp"

namespace opgrade::report {
namespace {

const ProfileReport* first_counted(const Grade& view) {
  for (const auto& stage : view.stages)
    for (const auto& c : stage.cases)
      if (c.profile && !c.profile->counts.empty()) return &*c.profile;
  return nullptr;
}

using Count = std::int64_t (*)(const ProfileCountRow&);

template <std::int64_t ProfileAccessRow::*number>
std::int64_t of_memory(const ProfileCountRow& row, std::string_view space, std::string_view use) {
  std::int64_t sum = 0;
  for (const ProfileAccessRow& access : row.accesses)
    if (access.space == space && access.use == use) sum += access.*number;
  return sum;
}

struct Line {
  const char* title;
  Count count;
};

constexpr std::array kLines{
    Line{"launches", [](const ProfileCountRow& row) { return row.launches; }},
    Line{"threads", [](const ProfileCountRow& row) { return row.threads; }},
    Line{"idle threads", [](const ProfileCountRow& row) { return row.idle; }},
    Line{"global load requests",
         [](const ProfileCountRow& row) {
           return of_memory<&ProfileAccessRow::requests>(row, "global", "load");
         }},
    Line{"global load sectors",
         [](const ProfileCountRow& row) {
           return of_memory<&ProfileAccessRow::sectors>(row, "global", "load");
         }},
    Line{"global store sectors",
         [](const ProfileCountRow& row) {
           return of_memory<&ProfileAccessRow::sectors>(row, "global", "store");
         }},
    Line{"shared load requests",
         [](const ProfileCountRow& row) {
           return of_memory<&ProfileAccessRow::requests>(row, "shared", "load");
         }},
    Line{"shared load passes",
         [](const ProfileCountRow& row) {
           return of_memory<&ProfileAccessRow::wavefronts>(row, "shared", "load");
         }},
    Line{"multiply-adds", [](const ProfileCountRow& row) { return row.of_float.fused; }},
    Line{"other operations",
         [](const ProfileCountRow& row) {
           return row.of_float.instructions() - row.of_float.fused + row.of_double.instructions();
         }},
    Line{"barriers of blocks", [](const ProfileCountRow& row) { return row.barriers; }},
};

std::int64_t sum(const ProfileReport& profile, Count count) {
  std::int64_t all = 0;
  for (const ProfileCountRow& row : profile.counts) all += count(row);
  return all;
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
  for (const Line& line : kLines) {
    const auto was = sum(*old_counts, line.count), is = sum(*new_counts, line.count);
    if (was == 0 && is == 0) continue;
    table.add({{line.title},
               {fmt::format("{}", was)},
               {fmt::format("{}", is)},
               {was > 0 ? fmt::format("{:+.1f} %", 100.0 * static_cast<double>(is - was) /
                                                       static_cast<double>(was))
                        : ""}});
  }
  return wrap(fmt::format("Counts of {} and {}, on a few images", before.submission,
                          after.submission),
              width, "", "  ") +
         table.str(width, "  ", style.colour);
}

}  // namespace opgrade::report
