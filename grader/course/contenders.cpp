#include "grader/course/contenders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "grader/results/result_folder.hpp"

namespace opgrade::course {

Contender Contenders::of(const Attempt& attempt, const RankingConfig& rule) {
  // What contender_of() reads of the rule.
  const std::pair key{attempt.result, fmt::format("{}\n{}\n{}\n{}", rule.stage, rule.model,
                                                  rule.batch, static_cast<int>(rule.take))};
  {
    const std::scoped_lock lock(guard_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  const auto grade = read_result((folder_ / attempt.result).parent_path());
  if (!grade)
    return {.name = "",
            .entry = opgrade::Entry::open,
            .reason = told("its report cannot be read; opgrade course verify says why")};
  Contender who = contender_of(*grade, rule);
  who.name.clear();
  const std::scoped_lock lock(guard_);
  return known_.emplace(key, std::move(who)).first->second;
}

Contender Contenders::of(const std::vector<Attempt>& counted, const RankingConfig& rule) {
  std::vector<Contender> all;
  for (const Attempt& attempt : counted) all.push_back(of(attempt, rule));
  std::ranges::stable_sort(all, {}, [](const Contender& c) {
    return c.entry == opgrade::Entry::timed ? c.time_ms : std::numeric_limits<double>::infinity();
  });
  return all.at(all.size() / 2);
}

}  // namespace opgrade::course
