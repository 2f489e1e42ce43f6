#include "grader/grading/pipeline/rank_so_far.hpp"

#include <utility>

namespace opgrade {

void RankSoFar::add(const Grade& grade, const RankingConfig& rule) {
  Contender one = contender_of(grade, rule);
  if (one.entry != Entry::timed) return;
  const std::scoped_lock lock(guard_);
  timed_.push_back(std::move(one));
}

std::optional<double> RankSoFar::far_behind_ms() const {
  constexpr std::size_t kLeast = 5;
  constexpr double kFactor = 2;
  const std::scoped_lock lock(guard_);
  if (timed_.size() < kLeast) return std::nullopt;
  return kFactor * class_times(timed_).median_ms;
}

}  // namespace opgrade
