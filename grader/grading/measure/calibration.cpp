#include "grader/grading/measure/calibration.hpp"

#include <algorithm>
#include <vector>

#include "grader/base/core/statistics.hpp"

namespace opgrade {
namespace {

constexpr int kEmptyCalls = 40;
constexpr std::chrono::nanoseconds kMostCost = std::chrono::microseconds(50);
constexpr double kMostHostCostMs = 0.150;
constexpr double kMostBelowMs = 0.010;

}  // namespace

std::optional<std::chrono::nanoseconds> shortest_empty_call(
    const std::function<std::optional<std::chrono::nanoseconds>()>& empty_call) {
  auto least = kMostCost;
  for (int i = 0; i < kEmptyCalls; ++i) {
    const auto time = empty_call();
    if (!time) return std::nullopt;
    least = std::min(least, *time);
  }
  return least;
}

double cost_in_between(const Measurement& measurement) {
  std::vector<double> empty;
  for (const CallSample& call : measurement.calls) {
    if (call.use == CallUse::counts && call.empty) empty.push_back(to_ms(*call.empty));
  }
  return summarize(std::move(empty)).median_ms;
}

double host_cost_in_between(const Measurement& measurement) {
  return std::min(cost_in_between(measurement), kMostHostCostMs);
}

bool is_below_empty_calls(const Measurement& measurement) {
  std::vector<double> times;
  for (const CallSample& call : measurement.calls) {
    if (call.use == CallUse::counts && call.proven) times.push_back(to_ms(*call.proven));
  }
  if (times.empty()) return false;
  return summarize(std::move(times)).median_ms < cost_in_between(measurement) - kMostBelowMs;
}

}  // namespace opgrade
