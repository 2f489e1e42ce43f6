#include "grader/grading/cases/layer/memory_watch.hpp"

#include <algorithm>

namespace opgrade {
namespace {

/// A smaller leak ends no run, because allocators and drivers keep some memory for themselves.
constexpr std::int64_t kLeastLeak = 1 << 20;

}  // namespace

int MemoryTrail::calls() const {
  std::size_t calls = 0;
  for (const auto& held : layers_) calls += held.size() - 1;
  return static_cast<int>(calls);
}

std::int64_t MemoryTrail::per_call() const {
  std::int64_t most = 0;
  for (const auto& held : layers_) {
    const std::size_t first = held.size() > 2 ? 1 : 0;
    const auto calls = static_cast<std::int64_t>(held.size() - 1 - first);
    if (calls > 0) most = std::max(most, (held.back() - held[first]) / calls);
  }
  return most;
}

bool MemoryTrail::exhausts(std::int64_t limit) const {
  if (calls() == 0 || per_call() < kLeastLeak) return false;
  const std::int64_t left = limit - layers_.back().back();
  return left < 2 * per_call() || left < (limit - layers_.front().front()) / 2;
}

MemoryWatch::MemoryWatch(std::int64_t memory_limit, Referee* gpu)
    : limit_(memory_limit), gpu_(gpu), device_limit_(gpu != nullptr ? gpu->free_memory() : 0) {}

void MemoryWatch::begin_layer(const Session& session) {
  host_.begin_layer(session.private_memory());
  if (gpu_ != nullptr) device_.begin_layer(on_device());
}

void MemoryWatch::call_done(const Session& session) {
  host_.call_done(session.private_memory());
  if (gpu_ != nullptr) device_.call_done(on_device());
}

bool MemoryWatch::leaks_on_device() const {
  return device_.calls() > 0 && device_.per_call() >= kLeastLeak;
}

bool MemoryWatch::ran_short(const CaseReport& report) const {
  if (host_.calls() == 0 || report.outcome == Outcome::passed) return false;
  const bool leaks = host_.per_call() >= kLeastLeak || leaks_on_device();
  const auto* const ending = ending_of(report.reason);
  const bool was_refused = ending != nullptr && ending->no_memory;
  if (leaks && (report.outcome == Outcome::out_of_memory || was_refused)) return true;
  // A program that does not check an allocation's result may end in any way.
  const bool may_be_memory = report.outcome == Outcome::crashed ||
                             report.outcome == Outcome::exited_early ||
                             report.outcome == Outcome::wrong_output;
  return may_be_memory && (host_.exhausts(limit_) || device_.exhausts(device_limit_));
}

LeakedMemory MemoryWatch::per_call() const {
  const bool on_device = leaks_on_device();
  return {(on_device ? device_ : host_).per_call(), on_device};
}

}  // namespace opgrade
