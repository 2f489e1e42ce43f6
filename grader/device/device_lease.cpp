#include "grader/device/device_lease.hpp"

#include <utility>

namespace opgrade {

std::optional<TimingLock> lock_for_timing(const GpuPool::Lease& lease, bool timed,
                                    const Listener& listen) {
  if (!timed) return std::nullopt;
  LockPatience patience(listen);
  return lease.referee() != nullptr ? TimingLock(lease.lock(), std::move(patience))
                                    : TimingLock(std::move(patience));
}

std::string disturbed(const GpuPool::Lease& lease, const std::optional<TimingLock>& turn) {
  if (!turn) return {};
  if (!turn->problem().empty()) return turn->problem();
  return lease.referee() != nullptr ? lease.lock().problem() : std::string();
}

}  // namespace opgrade
