#include "grader/task/conv/conv_check.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

#include "grader/base/core/parallel.hpp"
#include "grader/task/conv/conv_coordinates.hpp"
#include "grader/task/conv/part_check.hpp"

namespace opgrade {
namespace {

WrongMap wrong_map(const ConvShape& shape, std::span<const double> want, std::span<const float> got,
                   double allowed) {
  WrongMap map{.planes = shape.M, .shares = {}};
  const auto width = static_cast<std::size_t>(shape.W_out());
  for (std::size_t row = 0; row < want.size(); row += width) {
    std::size_t wrong = 0;
    for (std::size_t i = row; i < row + width; ++i)
      wrong += std::fabs(static_cast<double>(got[i]) - want[i]) <= allowed ? 0 : 1;
    // Three digits are enough, because a report has hundreds of shares.
    map.shares.push_back(
        std::round(1000 * static_cast<double>(wrong) / static_cast<double>(width)) / 1000);
  }
  return map;
}

}  // namespace

double error_scale(double largest_y, const ConvShape& shape, double x_rms, double k_rms) {
  const double typical =
      std::sqrt(static_cast<double>(shape.C) * shape.K * shape.K) * x_rms * k_rms;
  // The comparison is false for NaN, so that with a NaN among the inputs only y counts.
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
  report.error_scale = ErrorScale::image;
  report.checked = std::int64_t{count} * s.y_image();
  const double k_rms = root_mean_square(output.k);
  const auto x_of = [&](std::int64_t b) {
    return output.x.subspan(static_cast<std::size_t>(b) * x_image, x_image);
  };
  const auto y_of = [&](std::int64_t b) {
    return output.y.subspan(static_cast<std::size_t>(b) * y_image, y_image);
  };
  const auto scale = [&](std::int64_t b, double largest) {
    return error_scale(largest, s, k_rms > 0 ? root_mean_square(x_of(b)) : 0, k_rms);
  };
  std::mutex guard;
  // Each thread takes several images at a time and reuses its scratch memory for them.
  constexpr int kRun = 8;
  parallel_for_pieces(count, kRun, threads, [&](int first, int size) {
    std::vector<double> want(y_image);
    for (int i = first; i < first + size; ++i) {
      const int b = images.empty() ? i : images[static_cast<std::size_t>(i)];
      reference.image(x_of(b).data(), want.data());
      const PartResult image = check_part(want, y_of(b), report.tolerance,
                                          [&](double largest) { return scale(b, largest); });

      const std::scoped_lock lock(guard);
      add_part(report, image, b * s.y_image());
    }
  });
  report.place = place_in_y(s, report.first);
  if (report.mismatches > 0) {
    const std::int64_t b = report.first / s.y_image();
    std::vector<double> want(y_image);
    reference.image(x_of(b).data(), want.data());
    report.map = wrong_map(s, want, y_of(b), report.tolerance * scale(b, largest_of(want)));
    report.map->part = static_cast<int>(b);
  }
  return report;
}

}  // namespace opgrade
