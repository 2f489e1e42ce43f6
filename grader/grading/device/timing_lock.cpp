#include "grader/grading/device/timing_lock.hpp"

#include <poll.h>
#include <sys/file.h>

#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
namespace {

std::filesystem::path machine_file(const std::filesystem::path& folder) {
  return folder / "opgrade-timing.lock";
}

}  // namespace

std::string DeviceLock::path_of(const std::string& device) {
  return shared_lock_folder() / ("opgrade-timing-" + device + ".lock");
}

std::optional<DeviceLock> DeviceLock::try_take(const std::string& device, LockPatience* patience) {
  LockFile file(path_of(device));
  if (file.try_lock(LOCK_EX)) return DeviceLock(std::move(file), {});
  if (!file.problem().empty()) {
    std::string problem = file.problem();
    return DeviceLock(std::move(file), std::move(problem));
  }
  if (patience == nullptr || !patience->is_over(file)) return std::nullopt;
  return DeviceLock(std::move(file), patience->why());
}

TimingLock::TimingLock(LockPatience patience, const std::filesystem::path& folder)
    : machine_(machine_file(folder)) {
  wait_for(patience, LOCK_EX);
}

TimingLock::TimingLock(const DeviceLock&, LockPatience patience)
    : machine_(machine_file(shared_lock_folder())) {
  wait_for(patience, LOCK_SH);
}

void TimingLock::wait_for(LockPatience& patience, int how) {
  // Polls, because a signal would not end the waiting: it may come to another thread, and it
  // restarts the call.
  while (!machine_.try_lock(how)) {
    const bool over = machine_.problem().empty() && patience.is_over(machine_);
    if (over || !machine_.problem().empty()) {
      problem_ = over ? patience.why() : machine_.problem();
      return;
    }
    constexpr int kPauseMs = 20;
    pollfd interrupted{interrupt::descriptor(), POLLIN, 0};
    ::poll(&interrupted, 1, kPauseMs);
    interrupt::check();
  }
}

}  // namespace opgrade
