#include "grader/baseline/stopwatch.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

namespace opgrade {

void Stopwatch::add(const std::string& name, double ms) {
  auto step =
      std::find_if(steps_.begin(), steps_.end(), [&](const Step& s) { return s.name == name; });
  if (step == steps_.end()) step = steps_.insert(step, Step{name});
  ++step->calls;
  step->ms += ms;
}

std::string Stopwatch::table() const {
  std::vector<Step> sorted = steps_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Step& a, const Step& b) { return a.ms > b.ms; });
  double sum = 0;
  for (const Step& step : sorted) sum += step.ms;
  std::string text = fmt::format("{:>7} {:>12} {:>6}  {}\n", "share", "ms", "calls", "step");
  for (const Step& step : sorted)
    text += fmt::format("{:>6.1f}% {:>12.3f} {:>6}  {}\n", sum > 0 ? 100 * step.ms / sum : 0.0,
                        step.ms, step.calls, step.name);
  return text;
}

std::string resource_line(std::chrono::steady_clock::time_point start) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return fmt::format("{:.2f} s elapsed, {:.2f} s user, {:.2f} s system, {:.0f} MiB peak memory",
                     elapsed.count(), seconds(usage.ru_utime), seconds(usage.ru_stime),
                     static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace opgrade
