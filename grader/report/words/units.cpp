#include "grader/report/words/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grader/base/core/case_name.hpp"
#include "grader/base/core/case_time.hpp"

namespace opgrade::report {
namespace {

std::string three_digits(double v) {
  return fmt::format("{:.{}f}", v, v < 9.995 ? 2 : v < 99.95 ? 1 : 0);
}

std::string without_zeros(std::string number) {
  if (number.find('.') == number.npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

std::optional<CaseTime> shown_time(const CaseReport& c, Device device,
                                   TimeSummary CallReport::*summary) {
  // An emulated run has no meaningful time, whatever a stage wrote into its summaries.
  if (device == Device::emulated) return std::nullopt;
  const auto sum = case_time(c, c.take, summary);
  if (!sum) return std::nullopt;
  CaseTime time{.ms = *sum};
  double range_ms = 0;
  for (const auto& call : c.calls) {
    const TimeSummary& layer = call.*summary;
    if (layer.samples_ms.size() > 1) range_ms += layer.upper_quartile_ms - layer.lower_quartile_ms;
    const auto samples = layer.samples_ms.size();
    time.samples = time.samples == 0 ? samples : std::min(time.samples, samples);
  }
  if (time.ms > 0) time.spread = range_ms / time.ms;
  return time;
}

/// " of 15 calls, those with "about" are of one, which is not graded"
std::string calls_of(const Grade& view) {
  std::size_t fewest = 0, most = 0;
  bool single = false, graded = false;
  for (const auto& stage : view.stages) {
    for (const auto& c : stage.cases) {
      const auto time = op_time_of(c, stage.device);
      if (!time) continue;
      if (time->samples == 1) {
        single = true;
        const std::string rule = "Op Time " + case_name(c.model, c.batch);
        graded =
            graded || std::ranges::find(stage.points, rule, &PointItem::name) != stage.points.end();
        continue;
      }
      fewest = most == 0 ? time->samples : std::min(fewest, time->samples);
      most = std::max(most, time->samples);
    }
  }
  std::string text;
  if (most > 0) text = fmt::format(" of {} calls", most);
  if (fewest < most) text = fmt::format(" of {} to {} calls", fewest, most);
  if (single)
    text += fmt::format(R"({} "about" is one call{})", most > 0 ? ";" : ",",
                        graded ? "" : ", not graded");
  return text;
}

}  // namespace

const Glyphs& unicode_glyphs() {
  static const Glyphs glyphs;
  return glyphs;
}

const Glyphs& ascii_glyphs() {
  static const Glyphs glyphs{
      .micro = "u", .plus_minus = "+-", .dot = "-", .dash = "-", .unequal = "!="};
  return glyphs;
}

std::string show_ms(double ms, const Glyphs& glyphs) {
  if (!(std::isfinite(ms) && ms >= 0)) return show_value(ms) + " ms";
  if (ms == 0) return "0 ms";
  if (ms < 1e-3) return three_digits(ms * 1e6) + " ns";
  if (ms < 1) return three_digits(ms * 1e3) + " " + glyphs.micro + "s";
  if (ms < 1e3) return three_digits(ms) + " ms";
  if (ms < 60e3) return three_digits(ms / 1e3) + " s";
  const double seconds = std::round(ms / 1e3);
  const double minutes = std::floor(seconds / 60);
  return fmt::format("{:.0f} min {:.0f} s", minutes, seconds - 60 * minutes);
}

std::string show_s(double seconds, const Glyphs& glyphs) { return show_ms(seconds * 1e3, glyphs); }

std::string show_bytes(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1024) return fmt::format("{} B", bytes);
  if (size < 1024. * 1024) return three_digits(size / 1024) + " KiB";
  if (size < 1024. * 1024 * 1024) return three_digits(size / (1024 * 1024)) + " MiB";
  return three_digits(size / (1024. * 1024 * 1024)) + " GiB";
}

std::string show_points(double points) {
  if (!std::isfinite(points)) return show_value(points);
  const std::string number = without_zeros(fmt::format("{:.2f}", points));
  return number == "-0" ? "0" : number;
}

std::string show_accuracy(double accuracy) { return show_value(accuracy); }

std::string show_accuracy(const CaseReport& c, const Glyphs& glyphs) {
  if (!c.accuracy) return {};
  const std::string accuracy = show_accuracy(*c.accuracy);
  if (!c.required_accuracy || *c.accuracy == *c.required_accuracy) return accuracy;
  return fmt::format("{} {} {}", accuracy, glyphs.unequal, show_accuracy(*c.required_accuracy));
}

double finite_or_zero(double value) { return std::isfinite(value) ? value : 0; }

std::string show_value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  // A whole number is written without decimals.
  const bool whole = value == std::trunc(value) && std::abs(value) < 1e15;
  return fmt::format(fmt::runtime(whole ? "{:.0f}" : "{:.6g}"), value);
}

std::string_view error_scale_text(ErrorScale scale) {
  constexpr std::array<std::string_view, kErrorScaleNames.size()> kTexts{
      "",
      "relative to the largest output of its image",
      "relative to the largest output",
      "relative to the size of the terms that make its element",
      "as a difference",
      "relative to the expected value",
      "relative to 1 + the expected value",
      "as the norm of all errors, relative to the norm of the output"};
  return kTexts[static_cast<std::size_t>(scale)];
}

std::optional<CaseTime> op_time_of(const CaseReport& c, Device device) {
  return shown_time(c, device, &CallReport::op_time);
}

std::optional<CaseTime> layer_time_of(const CaseReport& c, Device device) {
  return shown_time(c, device, &CallReport::layer_time);
}

std::string times_are(const Grade& view) {
  std::string others;
  for (const auto& stage : view.stages) {
    for (const auto& c : stage.cases) {
      if (c.take == Statistic::median) continue;
      others += fmt::format("{}{} of {}", others.empty() ? "" : ", ",
                            c.take == Statistic::mean ? "the means" : "the fastest calls", c.id);
    }
  }
  const auto has_layers = [](const CaseReport& c) { return c.calls.size() > 1 && c.accuracy; };
  const bool layered = std::ranges::any_of(view.stages, [&](const StageReport& stage) {
    return std::ranges::any_of(stage.cases, has_layers);
  });
  return "Times are medians" + calls_of(view) +
         (others.empty() ? "" : fmt::format(" (but {})", others)) +
         (layered ? ", added up over the conv layers" : "");
}

std::optional<double> kernel_time_of(const CaseReport& c) {
  double sum = 0;
  for (const auto& call : c.calls) {
    if (!call.kernel_time_ms) return std::nullopt;
    sum += *call.kernel_time_ms;
  }
  return c.calls.empty() ? std::nullopt : std::optional(sum);
}

std::string show_time(const CaseTime& time, const Glyphs& glyphs) {
  std::string text = show_ms(time.ms, glyphs);
  if (time.samples == 1) return "about " + text;
  if (time.samples == 0) return text;
  const double percent = time.spread * 100;
  return text + fmt::format(" {}{:.{}f} %", glyphs.plus_minus, percent, percent < 9.95 ? 1 : 0);
}

std::string show_kernels(std::optional<double> milliseconds, const Glyphs& glyphs) {
  return milliseconds ? fmt::format(" (kernels {})", show_ms(*milliseconds, glyphs)) : "";
}

PointSum sum_of(const std::vector<PointItem>& items) {
  PointSum sum;
  for (const auto& item : items) {
    sum.points += item.points;
    sum.max_points += item.max_points;
    if (item.open) sum.open_points += item.max_points;
  }
  return sum;
}

PointSum sum_of(const StageReport& stage) {
  PointSum total = sum_of(stage.points);
  for (const auto& c : stage.cases) {
    const PointSum sum = sum_of(c.points);
    total.points += sum.points;
    total.max_points += sum.max_points;
    total.open_points += sum.open_points;
  }
  return total;
}

PointSum decided_sum(const std::vector<PointItem>& items) {
  PointSum sum;
  for (const auto& item : items) {
    if (item.open) continue;
    sum.points += finite_or_zero(item.points);
    sum.max_points += finite_or_zero(item.max_points);
  }
  return sum;
}

std::string show_sum(const PointSum& sum) {
  if (!(sum.max_points != 0 || sum.points != 0)) return {};
  if (sum.open_points > 0 && sum.open_points >= sum.max_points) return "open";
  return show_points(sum.points) + "/" + show_points(sum.max_points);
}

}  // namespace opgrade::report
