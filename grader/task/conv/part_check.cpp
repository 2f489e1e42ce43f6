#include "grader/task/conv/part_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opgrade {
namespace {

/// The larger of two errors; NaN is larger than any number.
double worse(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(a, b);
}

}  // namespace

double root_mean_square(std::span<const float> values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

PartResult check_part(std::span<const double> want, std::span<const float> got, double bound,
                      const std::function<double(double)>& scale_of) {
  const double scale = scale_of(largest_of(want));
  const double allowed = bound * scale;

  // Counts without a branch, at the speed of memory. Only a part with mismatches is read a second
  // time.
  double worst = 0;
  std::int64_t within = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double error = std::fabs(static_cast<double>(got[i]) - want[i]);
    within += error <= allowed ? 1 : 0;
    worst = error > worst ? error : worst;
  }
  PartResult result;
  result.mismatches = static_cast<std::int64_t>(want.size()) - within;
  result.worst =
      scale > 0 ? worst / scale : (worst > 0 ? std::numeric_limits<double>::infinity() : 0);
  if (result.mismatches == 0) return result;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double error = std::fabs(static_cast<double>(got[i]) - want[i]);
    if (std::isnan(error)) result.worst = error;
    if (error <= allowed || result.first >= 0) continue;
    result.first = static_cast<std::int64_t>(i);
    result.got = got[i];
    result.want = want[i];
  }
  return result;
}

void add_part(CheckReport& report, const PartResult& part, std::int64_t start) {
  report.mismatches += part.mismatches;
  report.worst_error = worse(report.worst_error, part.worst);
  const std::int64_t place = start + part.first;
  if (part.mismatches > 0 && (report.first < 0 || place < report.first)) {
    report.first = place;
    report.got = part.got;
    report.want = part.want;
  }
}

}  // namespace opgrade
