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
/// Chance does not double a time, so files that are equal are treated alike.
///
/// Each rule whose points a slow case alone decides counts: of one case, of the sum, the mean or
/// the worst of several, and of a slope, which has a bound for each case. Nothing where any time
/// may matter: the case is ranked, a rule always gives something or takes a geometric mean, whose
/// other cases may make up for this one, or a bound is a multiple of a time that is measured only
/// for what can earn. `work` is asked for bounds that are rates.
///
/// If no rule asks for the time, it is only shown, and a call that was long shows it.
std::optional<double> hopeless_ms(const Config& config, const StageConfig& stage,
                                  const CaseConfig& wanted,
                                  const std::function<CaseWork(const OpTimeRule&)>& work);

/// The sum of Op Times of a ranked case above which few calls do: its Op Time rules give nothing,
/// and it is far behind its class. Of 3 calls or 15, a rank differs only among those that are as
/// far behind. Nothing of another case, or where a rule may give points for any time.
/// `behind_class_ms`: RankSoFar::far_behind_ms().
std::optional<double> far_behind_ms(const Config& config, const StageConfig& stage,
                                    const CaseConfig& wanted,
                                    const std::function<CaseWork(const OpTimeRule&)>& work,
                                    std::optional<double> behind_class_ms);

/// What the cases of a stage took that ran so far.
class CaseTimes {
 public:
  /// `work` is that of a timed case, 0 of another.
  void add(const CaseReport& report, double work);
  /// The least Op Time of a case with no more work than `work` all of whose calls took longer than
  /// `ms`. Nothing if there is none.
  std::optional<double> least_beyond(double ms, double work) const;

 private:
  struct Fastest {
    double work, ms;
  };
  std::vector<Fastest> times_;
};

}  // namespace opgrade
