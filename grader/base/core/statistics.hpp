/// Order statistics of repeated time samples.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace opgrade {

/// Times of repeated calls, in milliseconds.
struct TimeSummary {
  std::vector<double> samples_ms;  ///< in the order measured
  double median_ms = 0;
  double lower_quartile_ms = 0;
  double upper_quartile_ms = 0;
  double minimum_ms = 0;
  double maximum_ms = 0;

  /// Interquartile range over the median; 0 for fewer than two samples.
  double spread() const;

  /// Half the 95 % interval of the median over the median; 0 for fewer than two samples. From the
  /// normal distribution: a median's standard error is sqrt(pi / 2) that of the mean, and an
  /// interquartile range 1.349 standard deviations.
  double uncertainty() const;
};

/// Which statistic of repeated calls stands for all of them. Courses differ.
enum class Statistic { median, fastest, mean };

inline constexpr std::array<std::string_view, 3> kStatisticNames{"median", "fastest", "mean"};

constexpr std::string_view name_of(Statistic statistic) {
  return kStatisticNames[static_cast<std::size_t>(statistic)];
}

/// Returns 0 for an empty summary.
double value_of(const TimeSummary& times, Statistic statistic);

/// Quartiles by linear interpolation between order statistics (Hyndman and Fan's type 7).
/// An empty list gives an empty summary.
TimeSummary summarize(std::vector<double> samples_ms);

/// The time that points and ranks use: `ms` rounded to a multiple of a step. The step is a round
/// number (1, 2 or 5 times a power of ten) that is at least `share` of the time and at least 1 us.
/// Gradings of one submission scatter by less than a step, so a finer time would decide by chance.
double graded_time(double ms, double share);

/// The share for graded_time(): gradings of the reference solution on an H200 scatter by 0.29 % at
/// B=100 (docs/performance.md).
inline constexpr double kTimeShare = 0.005;

}  // namespace opgrade
