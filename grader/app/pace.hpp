/// Estimates the time left for jobs that run side by side.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace opgrade {

/// Not safe for several threads at once.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Pace(std::function<Clock::time_point()> now = Clock::now);

  void begin(const std::string& job);
  /// A job that did not begin here, as on a cluster, counts for the pace of all.
  void end(const std::string& job);

  /// For `open` jobs, the running ones among them; none before the first end. Each is taken to need
  /// the mean time of those that ended, less what it has run. As many run at once as ever did.
  std::optional<std::chrono::seconds> left(std::size_t open) const;

 private:
  double seconds_since(Clock::time_point time) const;

  std::function<Clock::time_point()> now_;
  Clock::time_point start_;
  std::map<std::string, Clock::time_point> running_;
  std::size_t lanes_ = 1;  ///< the most jobs that ran at once
  std::size_t ended_ = 0, timed_ = 0;
  double spent_ = 0;  ///< seconds of the timed jobs
};

}  // namespace opgrade
