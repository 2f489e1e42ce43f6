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

/// Which number of repeated calls stands for all of them. Courses differ.
enum class Statistic { median, fastest, mean };

inline constexpr std::array<std::string_view, 3> kStatisticNames{"median", "fastest", "mean"};

constexpr std::string_view name_of(Statistic statistic) {
  return kStatisticNames[static_cast<std::size_t>(statistic)];
}

/// 0 for an empty summary.
double value_of(const TimeSummary& times, Statistic statistic);

/// Quartiles by linear interpolation between order statistics (Hyndman and Fan's type 7).
/// An empty list gives an empty summary.
TimeSummary summarize(std::vector<double> samples_ms);

}  // namespace opgrade
