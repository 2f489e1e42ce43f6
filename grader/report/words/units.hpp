/// Formats numbers for readers: times, sizes, points, accuracies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

/// Characters outside ASCII, or their ASCII stand-ins.
struct Glyphs {
  std::string micro = "µ";
  std::string plus_minus = "±";
  std::string dot = "·";
  std::string dash = "–";
  std::string unequal = "≠";
};
const Glyphs& unicode_glyphs();
const Glyphs& ascii_glyphs();

/// Three digits with a fitting unit: "14.2 µs", "12.1 ms", "44.6 s", "2 min 5 s".
std::string show_ms(double milliseconds, const Glyphs& glyphs = unicode_glyphs());
std::string show_s(double seconds, const Glyphs& glyphs = unicode_glyphs());

/// "512 KiB", "12.3 MiB", "1.50 GiB".
std::string show_bytes(std::int64_t bytes);

/// At most two decimals, none for a whole number: "5", "12.5", "3.33".
std::string show_points(double points);

/// Six digits, as the course prints accuracies: "0.8714", "0.871564", "1".
std::string show_accuracy(double accuracy);

/// "0.886", or "0.31 ≠ 0.886" if another accuracy is required; empty if the case has no accuracy.
std::string show_accuracy(const CaseReport& c, const Glyphs& glyphs = unicode_glyphs());

/// Zero for NaN and infinity, for formats that cannot write them.
double finite_or_zero(double value);

/// Six digits, or "NaN", "infinity", "-infinity".
std::string show_value(double value);

/// What errors are relative to: "relative to the largest output of its image". Empty if unknown.
std::string_view error_scale_text(ErrorScale scale);

/// Time of a case: the sum over its layers of the statistic CaseReport::take of each layer's
/// samples, because the course adds the Op Times of its conv layers. The spread adds the layers'
/// interquartile ranges, which never understates it.
struct CaseTime {
  double ms = 0;
  double spread = 0;        ///< relative to the time
  std::size_t samples = 0;  ///< number of samples of the layer with the fewest
};

/// nullopt if a layer has no time, or if `device` is emulated.
std::optional<CaseTime> op_time_of(const CaseReport& c, Device device);
std::optional<CaseTime> layer_time_of(const CaseReport& c, Device device);

/// "Times are medians of 15 calls", and the cases to which this does not apply.
std::string times_are(const Grade& view);

/// The kernels' own time, summed over the layers; nullopt if a layer lacks it.
std::optional<double> kernel_time_of(const CaseReport& c);

/// "12.1 ms ±1.5 %"; "about 12.1 ms" for a single sample.
std::string show_time(const CaseTime& time, const Glyphs& glyphs = unicode_glyphs());

/// Text after an Op Time: " (kernels 21.2 ms)"; empty if there is no kernel time.
std::string show_kernels(std::optional<double> milliseconds,
                         const Glyphs& glyphs = unicode_glyphs());

/// Sums of a list of points.
struct PointSum {
  double points = 0, max_points = 0, open_points = 0;
};
PointSum sum_of(const std::vector<PointItem>& items);
PointSum sum_of(const StageReport& stage);

/// Sum over the items that are not open. A number that is not finite counts as zero.
PointSum decided_sum(const std::vector<PointItem>& items);

/// "5/5", "2/5", "open" if all items are open, empty if there are none.
std::string show_sum(const PointSum& sum);

}  // namespace opgrade::report
