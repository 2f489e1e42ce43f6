/// The times with which a case can earn nothing.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// True if the config ranks by this case of the stage.
bool is_ranked_case(const Config& config, const StageConfig& stage, const CaseConfig& wanted);

/// The sum of Op Times above which no further timed call of `wanted` could matter, in ms. It is
/// twice the longest time from which its Op Time rules give nothing, their rounding included.
/// Because chance does not double a time, equal files are treated alike.
///
/// A rule is considered if a slow case alone decides its points: a rule of one case, of the sum,
/// the mean or the worst of several, or of a slope, which has a bound for each case. Returns
/// nullopt if any time may matter: the case is ranked, a rule always gives something or takes a
/// geometric mean, whose other cases may make up for this one, or a bound is a multiple of a time
/// that is measured only if a case can earn points. `work` is called for bounds that are rates.
///
/// If no rule asks for the time, reports only show it. One call above 100 ms is then enough for a
/// case that has one repetition.
std::optional<double> hopeless_ms(const Config& config, const StageConfig& stage,
                                  const CaseConfig& wanted,
                                  const std::function<CaseWork(const OpTimeRule&)>& work);

/// The sum of Op Times of a ranked case above which few calls are enough: its Op Time rules give
/// nothing, and it is far behind its class. Whether 3 or 15 calls were made then changes a rank
/// only among those that are as far behind. Returns nullopt for a case that is not ranked, and if a
/// rule may give points for any time. `behind_class_ms`: RankSoFar::far_behind_ms().
std::optional<double> far_behind_ms(const Config& config, const StageConfig& stage,
                                    const CaseConfig& wanted,
                                    const std::function<CaseWork(const OpTimeRule&)>& work,
                                    std::optional<double> behind_class_ms);

/// The times of those cases of a stage that ran so far.
class CaseTimes {
 public:
  /// `work` is the work of a timed case, and 0 for any other case.
  void add(const CaseReport& report, double work);
  /// The least Op Time among cases with no more work than `work` all of whose calls took longer
  /// than `ms`; nullopt if there is none.
  std::optional<double> least_beyond(double ms, double work) const;

 private:
  struct Fastest {
    double work, ms;
  };
  std::vector<Fastest> times_;
};

}  // namespace opgrade
