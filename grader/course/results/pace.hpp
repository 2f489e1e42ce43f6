/// Estimates the time left for jobs that run in parallel.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opgrade {

/// Not safe for several threads at once.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Pace(std::function<Clock::time_point()> now = Clock::now)
      : now_(std::move(now)), start_(now_()) {}

  void begin(const std::string& job) {
    running_.insert_or_assign(job, now_());
    lanes_ = std::max(lanes_, running_.size());
  }
  /// For a job without begin(), such as a cluster's, the pace is that of all jobs since the start.
  void end(const std::string& job) {
    ++ended_;
    const auto found = running_.find(job);
    if (found == running_.end()) return;
    ++timed_;
    spent_ += seconds_since(found->second);
    running_.erase(found);
  }

  /// The estimate for `open` jobs, which include the running ones; nullopt before the first job
  /// ends. Each job is assumed to need the mean time of those that ended, of which a running one
  /// has used a part. As many jobs are assumed to run in parallel as ever did.
  std::optional<std::chrono::seconds> left(std::size_t open) const {
    if (ended_ == 0) return std::nullopt;
    const bool told = timed_ == ended_;  // each job that ended had a begin()
    const double each = (told ? spent_ : seconds_since(start_)) / static_cast<double>(ended_);
    std::vector<double> lanes(told ? lanes_ : 1, 0);  // seconds until each lane is free
    std::size_t lane = 0;
    if (told)
      for (const auto& [job, began] : running_)
        lanes[lane++] = std::max(each - seconds_since(began), 0.0);
    // Each waiting job takes the lane that is free first: the top of this heap.
    const auto later = std::greater<>();
    std::ranges::make_heap(lanes, later);
    for (std::size_t waiting = open - std::min(open, lane); waiting > 0; --waiting) {
      std::ranges::pop_heap(lanes, later);
      lanes.back() += each;
      std::ranges::push_heap(lanes, later);
    }
    return std::chrono::seconds(std::llround(std::ceil(std::ranges::max(lanes))));
  }

 private:
  double seconds_since(Clock::time_point time) const {
    return std::chrono::duration<double>(now_() - time).count();
  }

  std::function<Clock::time_point()> now_;
  Clock::time_point start_;
  std::map<std::string, Clock::time_point> running_;
  std::size_t lanes_ = 1;  ///< the most jobs that ran at once
  std::size_t ended_ = 0, timed_ = 0;
  double spent_ = 0;  ///< seconds of the timed jobs
};

}  // namespace opgrade
