/// Order statistics of repeated time samples.
#pragma once

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
};

/// Quartiles by linear interpolation between order statistics (Hyndman and Fan's type 7).
/// An empty list gives an empty summary.
TimeSummary summarize(std::vector<double> samples_ms);

}  // namespace opgrade
