#include "grader/base/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opgrade {
namespace {

double quantile(const std::vector<double>& sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

}  // namespace

double TimeSummary::spread() const {
  if (samples_ms.size() < 2 || median_ms <= 0) return 0;
  return (upper_quartile_ms - lower_quartile_ms) / median_ms;
}

double TimeSummary::uncertainty() const {
  constexpr double kHalf95 = 1.96 * 1.2533 / 1.349;
  const auto count = static_cast<double>(samples_ms.size());
  return count < 2 ? 0 : kHalf95 * spread() / std::sqrt(count);
}

double value_of(const TimeSummary& times, Statistic statistic) {
  switch (statistic) {
    case Statistic::fastest:
      return times.minimum_ms;
    case Statistic::mean: {
      if (times.samples_ms.empty()) return 0;
      const double sum = std::accumulate(times.samples_ms.begin(), times.samples_ms.end(), 0.0);
      return sum / static_cast<double>(times.samples_ms.size());
    }
    case Statistic::median:
      break;
  }
  return times.median_ms;
}

TimeSummary summarize(std::vector<double> samples_ms) {
  TimeSummary summary{.samples_ms = std::move(samples_ms)};
  if (summary.samples_ms.empty()) return summary;
  auto sorted = summary.samples_ms;
  std::sort(sorted.begin(), sorted.end());
  summary.median_ms = quantile(sorted, 0.5);
  summary.lower_quartile_ms = quantile(sorted, 0.25);
  summary.upper_quartile_ms = quantile(sorted, 0.75);
  summary.minimum_ms = sorted.front();
  summary.maximum_ms = sorted.back();
  return summary;
}

double graded_time(double ms, double share) {
  if (!(std::isfinite(ms) && ms > 0)) return ms;
  const double least = std::max(ms * share, 1e-3);
  const double power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0})
    if (digit * power >= least) step = digit * power;
  // Dividing by a whole number gives exactly the number that a config writes as 21.2.
  return step >= 1 ? std::round(ms / step) * step : std::round(ms / step) / std::round(1 / step);
}

}  // namespace opgrade
