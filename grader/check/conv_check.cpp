#include "grader/check/conv_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <vector>

#include "grader/core/parallel.hpp"

namespace opgrade {
namespace {

struct ImageResult {
  std::int64_t mismatches = 0;
  std::int64_t first = -1;  ///< index within the image
  double worst = 0;         ///< NaN when a value is not a number
  double got = 0, want = 0;
};

ImageResult check_image(std::span<const double> want, std::span<const float> got, double bound,
                        const std::function<double(double)>& scale_of) {
  double largest = 0;
  for (const double value : want) largest = std::max(largest, std::fabs(value));
  const double scale = scale_of(largest);
  const double allowed = bound * scale;

  // Counts without a branch, at the speed of memory. Only an image with mismatches is read a second
  // time.
  double worst = 0;
  std::int64_t within = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double error = std::fabs(static_cast<double>(got[i]) - want[i]);
    within += error <= allowed ? 1 : 0;
    worst = error > worst ? error : worst;
  }
  ImageResult result;
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

/// The larger of two, where NaN is larger than anything.
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

double error_scale(double largest_y, const ConvShape& shape, double x_rms, double k_rms) {
  const double typical =
      std::sqrt(static_cast<double>(shape.C) * shape.K * shape.K) * x_rms * k_rms;
  // Positive form: with a NaN among the inputs only y counts.
  return typical > largest_y ? typical : largest_y;
}

double relative_bound(const ConvShape& shape, double tolerance) {
  return tolerance * std::sqrt(static_cast<double>(shape.C) * shape.K * shape.K);
}

CheckReport check_conv(const FastConv<double>& reference, const ConvOutput& output,
                       double tolerance, std::span<const int> images, int threads) {
  const ConvShape& s = output.shape;
  const auto x_image = static_cast<std::size_t>(s.x_image());
  const auto y_image = static_cast<std::size_t>(s.y_image());
  const int count = images.empty() ? s.B : static_cast<int>(images.size());

  CheckReport report;
  report.tolerance = relative_bound(s, tolerance);
  report.checked = std::int64_t{count} * s.y_image();
  const double k_rms = root_mean_square(output.k);
  std::mutex guard;
  // Images are handed out in runs, so that a thread reuses its scratch memory.
  constexpr int kRun = 8;
  parallel_for((count + kRun - 1) / kRun, threads, [&](int run) {
    std::vector<double> want(y_image);
    for (int i = run * kRun; i < std::min(count, (run + 1) * kRun); ++i) {
      const int b = images.empty() ? i : images[static_cast<std::size_t>(i)];
      const auto x = output.x.subspan(static_cast<std::size_t>(b) * x_image, x_image);
      reference.image(x.data(), want.data());
      const auto got = output.y.subspan(static_cast<std::size_t>(b) * y_image, y_image);
      const ImageResult image = check_image(want, got, report.tolerance, [&](double largest) {
        return error_scale(largest, s, k_rms > 0 ? root_mean_square(x) : 0, k_rms);
      });

      const std::scoped_lock lock(guard);
      report.mismatches += image.mismatches;
      report.worst_error = worse(report.worst_error, image.worst);
      const std::int64_t place = b * s.y_image() + image.first;
      if (image.mismatches > 0 && (report.first < 0 || place < report.first)) {
        report.first = place;
        report.got = image.got;
        report.want = image.want;
      }
    }
  });
  if (report.first >= 0) {
    std::int64_t rest = report.first;
    report.w = static_cast<int>(rest % s.W_out());
    rest /= s.W_out();
    report.h = static_cast<int>(rest % s.H_out());
    rest /= s.H_out();
    report.m = static_cast<int>(rest % s.M);
    report.b = static_cast<int>(rest / s.M);
  }
  return report;
}

}  // namespace opgrade
