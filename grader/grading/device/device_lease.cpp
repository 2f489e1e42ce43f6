#include "grader/grading/device/device_lease.hpp"

#include <utility>

namespace opgrade {

std::optional<TimingLock> lock_for_timing(const GpuPool::Lease& lease, bool timed,
                                          const Listener& listen) {
  if (!timed) return std::nullopt;
  LockPatience patience(listen);
  return lease.referee() != nullptr ? TimingLock(lease.lock(), std::move(patience))
                                    : TimingLock(std::move(patience));
}

std::optional<CoreLease> lease_cores(int threads, bool timed, const Listener& listen) {
  if (!timed || threads == 0) return std::nullopt;
  const std::vector<int> usable = usable_cores();
  if (usable.size() < static_cast<std::size_t>(threads)) return std::nullopt;
  return CoreLease(static_cast<std::size_t>(threads), usable, LockPatience(listen));
}

std::string disturbed(const GpuPool::Lease& lease, const std::optional<TimingLock>& turn,
                      const std::optional<CoreLease>& cores) {
  if (!turn) return {};
  if (!turn->problem().empty()) return turn->problem();
  if (cores && !cores->problem().empty()) return cores->problem();
  return lease.referee() != nullptr ? lease.lock().problem() : std::string();
}

}  // namespace opgrade
