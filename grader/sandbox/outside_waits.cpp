#include "grader/sandbox/outside_waits.hpp"

#include <algorithm>

namespace opgrade {
namespace {

using std::chrono::nanoseconds;

/// Of the thread that waited longest.
nanoseconds longest_wait(const proc::CoreWaits& earlier, const proc::CoreWaits& now) {
  nanoseconds longest{};
  for (const auto& [thread, all] : now) {
    const auto before = earlier.find(thread);
    longest = std::max(longest, before == earlier.end() ? all : all - before->second);
  }
  return longest;
}

/// Of the core that was idle longest.
nanoseconds longest_idle(const CoreLook& earlier, const CoreLook& now) {
  nanoseconds longest{};
  for (const auto& [core, all] : now.idle) {
    const auto before = earlier.idle.find(core);
    if (before != earlier.idle.end())
      longest = std::max<nanoseconds>(longest, all - before->second);
  }
  return longest;
}

}  // namespace

void OutsideWaits::restart(const CoreLook& now) {
  last_ = now;
  first_computed_ = now.computed;
  waited_ = total_ = nanoseconds();
}

nanoseconds OutsideWaits::add(const CoreLook& now, nanoseconds since) {
  // One look tells little about a longer time, in which the threads may have slept.
  constexpr std::chrono::seconds kLongest{2};
  const nanoseconds computed = now.computed - last_.computed;
  const int cores = std::max(static_cast<int>(now.idle.size()), 1);
  if (now.ready > 0 && since <= kLongest) {
    const nanoseconds on_each = computed / std::min(now.ready, cores);
    waited_ += std::min(since - on_each, since - longest_idle(last_, now));
  } else {
    const nanoseconds others = since - computed / cores;
    waited_ += std::max(std::min(longest_wait(last_.waits, now.waits), others), nanoseconds());
  }
  last_ = now;
  const nanoseconds grown = std::max(waited_ - total_, nanoseconds());
  total_ += grown;
  return grown;
}

bool SignsOfLife::seen(const CoreLook& now) {
  const bool moved = !looked_ || now.computed != last_.computed || now.waits != last_.waits;
  looked_ = true;
  last_ = now;
  return moved || now.ready > 0;
}

}  // namespace opgrade
