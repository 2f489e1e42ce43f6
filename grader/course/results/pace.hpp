/// Estimates the time left for jobs that run side by side.
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
  /// A job that did not begin here, as on a cluster, counts for the pace of all.
  void end(const std::string& job) {
    ++ended_;
    const auto found = running_.find(job);
    if (found == running_.end()) return;
    ++timed_;
    spent_ += seconds_since(found->second);
    running_.erase(found);
  }

  /// For `open` jobs, the running ones among them; none before the first end. Each is taken to need
  /// the mean time of those that ended, less what it has run. As many run at once as ever did.
  std::optional<std::chrono::seconds> left(std::size_t open) const {
    if (ended_ == 0) return std::nullopt;
    const bool told = timed_ == ended_;  // each began here
    const double each = (told ? spent_ : seconds_since(start_)) / static_cast<double>(ended_);
    std::vector<double> lanes(told ? lanes_ : 1, 0);  // seconds until each is free
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
