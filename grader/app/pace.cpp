#include "grader/app/pace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace opgrade {

Pace::Pace(std::function<Clock::time_point()> now) : now_(std::move(now)), start_(now_()) {}

double Pace::seconds_since(Clock::time_point time) const {
  return std::chrono::duration<double>(now_() - time).count();
}

void Pace::begin(const std::string& job) {
  running_.insert_or_assign(job, now_());
  lanes_ = std::max(lanes_, running_.size());
}

void Pace::end(const std::string& job) {
  ++ended_;
  const auto found = running_.find(job);
  if (found == running_.end()) return;
  ++timed_;
  spent_ += seconds_since(found->second);
  running_.erase(found);
}

std::optional<std::chrono::seconds> Pace::left(std::size_t open) const {
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

}  // namespace opgrade
