/// Times of the ranked case, from the submissions that a grader has graded.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/score/rank.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Safe to use from several threads at once.
class RankSoFar {
 public:
  /// Adds the time of a grade that `rule` ranks.
  void add(const Grade& grade, const RankingConfig& rule);

  /// A sum of Op Times above which a submission is far behind, in ms: twice the median so far.
  /// Returns nullopt as long as too few submissions are timed.
  std::optional<double> far_behind_ms() const;

 private:
  mutable std::mutex guard_;
  std::vector<Contender> timed_;
};

}  // namespace opgrade
