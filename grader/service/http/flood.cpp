#include "grader/service/http/flood.hpp"

#include <algorithm>

namespace opgrade::service {

Flood::Bucket& Flood::fill(Buckets& buckets, const std::string& client, double burst,
                           double a_second, Clock::time_point now) {
  constexpr std::size_t kRemembered = 10'000;
  const auto level = [&](const Bucket& b) {
    return std::min(burst, b.left + a_second * std::chrono::duration<double>(now - b.at).count());
  };
  if (buckets.size() > kRemembered)
    std::erase_if(buckets, [&](const auto& one) { return level(one.second) >= burst; });
  const auto [found, is_new] = buckets.try_emplace(client, Bucket{burst, now});
  Bucket& bucket = found->second;
  bucket.left = level(bucket);
  bucket.at = now;
  return bucket;
}

bool Flood::take(const std::string& client, Clock::time_point now) {
  const std::scoped_lock lock(guard_);
  Bucket& bucket = fill(requests_, client, limits_.burst, limits_.a_second, now);
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

bool Flood::may_fail(const std::string& client, Clock::time_point now) {
  const std::scoped_lock lock(guard_);
  return fill(failures_, client, limits_.failures, limits_.failures_a_second, now).left >= 1;
}

void Flood::failed(const std::string& client, Clock::time_point now) {
  const std::scoped_lock lock(guard_);
  Bucket& bucket = fill(failures_, client, limits_.failures, limits_.failures_a_second, now);
  bucket.left = std::max(0.0, bucket.left - 1);
}

OpenCount::OpenCount(int of_person, int in_all)
    : state_(std::make_shared<State>(of_person, in_all)) {}

std::shared_ptr<void> OpenCount::enter(const std::string& person) {
  const std::scoped_lock lock(state_->guard);
  int& mine = state_->open[person];
  const bool full = mine >= state_->of_person || state_->all >= state_->in_all;
  if (full && mine == 0) state_->open.erase(person);
  if (full) return nullptr;
  ++mine;
  ++state_->all;
  return {state_.get(), [state = state_, person](void*) {
            const std::scoped_lock leaving(state->guard);
            --state->all;
            if (const auto own = state->open.find(person); --own->second == 0)
              state->open.erase(own);
          }};
}

}  // namespace opgrade::service
