#include "grader/platform/sandbox/outside_waits.hpp"

#include <algorithm>

namespace opgrade {
namespace {

using std::chrono::nanoseconds;

/// Sums the waits of all threads, because threads that wake each other, as a sandbox wakes its
/// program, wait one after another. Simultaneous waits are counted twice, so the caller bounds the
/// sum by the elapsed time.
nanoseconds sum_of_waits(const proc::CoreWaits& earlier, const proc::CoreWaits& now) {
  nanoseconds sum{};
  for (const auto& [thread, all] : now) {
    const auto before = earlier.find(thread);
    sum += before == earlier.end() ? all : all - before->second;
  }
  return sum;
}

/// The idle time of the core that was idle longest.
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
  // Over a longer time one look says little, because the threads may have slept in between.
  constexpr std::chrono::seconds kLongest{2};
  const nanoseconds computed = now.computed - last_.computed;
  const int cores = std::max(static_cast<int>(now.idle.size()), 1);
  if (now.ready > 0 && since <= kLongest) {
    const nanoseconds on_each = computed / std::min(now.ready, cores);
    waited_ += std::min(since - on_each, since - longest_idle(last_, now));
  } else {
    const nanoseconds others = since - computed / cores;
    const nanoseconds busy = since - longest_idle(last_, now);
    const nanoseconds waits = sum_of_waits(last_.waits, now.waits);
    waited_ += std::max(std::min({waits, others, busy}), nanoseconds());
  }
  last_ = now;
  const nanoseconds grown = std::max(waited_ - total_, nanoseconds());
  total_ += grown;
  return grown;
}

void TimeSeen::add(const CoreLook& now, nanoseconds since) {
  // Ten times the time between two looks of a grader that has a core.
  constexpr std::chrono::milliseconds kLongest{200};
  if (began_) {
    const nanoseconds own = since - outside_.add(now, since);
    total_ += std::clamp(own, nanoseconds(), nanoseconds(kLongest));
  } else {
    outside_.restart(now);
  }
  began_ = true;
}

bool SignsOfLife::seen(const CoreLook& now) {
  const bool moved = !looked_ || now.computed != last_.computed || now.waits != last_.waits;
  looked_ = true;
  last_ = now;
  return moved || now.ready > 0;
}

}  // namespace opgrade
