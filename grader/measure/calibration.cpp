#include "grader/measure/calibration.hpp"

#include <algorithm>
#include <vector>

#include "grader/core/statistics.hpp"

namespace opgrade {
namespace {

constexpr int kEmptyCalls = 40;
constexpr std::chrono::nanoseconds kMostCost = std::chrono::microseconds(50);

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

double device_call_cost(const Measurement& measurement) {
  std::vector<double> empty;
  for (const CallSample& call : measurement.calls) {
    if (call.use == CallUse::counts && call.empty) empty.push_back(to_ms(*call.empty));
  }
  return summarize(std::move(empty)).median_ms;
}

}  // namespace opgrade
