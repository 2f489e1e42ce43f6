/// The times with which a case can earn nothing.
#pragma once

#include <functional>
#include <optional>

#include "grader/config/config.hpp"
#include "grader/score/score.hpp"

namespace opgrade {

/// The sum of Op Times above which no further timed call of `wanted` could matter, in ms: twice the
/// longest time from which its Op Time rules give nothing. Chance does not double a time, so files
/// that are equal are treated alike. Nothing where any time may matter: it is ranked, a rule always
/// gives something or counts several cases together, no rule names the case, or a bound is a
/// multiple of the reference solution's time, which is measured only for what can earn. `work` is
/// asked for bounds that are rates.
std::optional<double> hopeless_ms(const Config& config, const StageConfig& stage,
                                  const CaseConfig& wanted,
                                  const std::function<CaseWork(const OpTimeRule&)>& work);

}  // namespace opgrade
