#include "grader/grading/device/gpu_pool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/phases.hpp"
#include "grader/platform/process/interrupt.hpp"

namespace opgrade {
std::vector<GpuPool::Candidate> GpuPool::visible() {
  std::vector<Candidate> found;
  for (const GpuId& id : Referee::devices()) {
    const int device = static_cast<int>(found.size());
    found.push_back({id, [device] { return Referee::make(device); }});
  }
  return found;
}

// `search` is not moved from, because the compiler chooses in which order arguments are evaluated.
GpuPool::GpuPool(const Search& search)
    : found_(std::async(search ? std::launch::async : std::launch::deferred,
                        [this, search] { look(search); })) {}

void GpuPool::look(const Search& search) {
  if (!search) return;
  for (Candidate& candidate : search()) {
    if (places_.empty() || candidate.id.name == places_.front().candidate.id.name) {
      places_.push_back({.candidate = std::move(candidate)});
    } else {
      unused_.push_back(std::move(candidate.id));
    }
  }
  phase_over("devices listed");
  take_free();  // the lease ends at once; its referee stays
  phase_over("device started");
}

GpuPool::Lease::Lease(GpuPool& pool, Place& place, DeviceLock lock)
    : pool_(&pool), place_(&place), lock_(std::move(lock)) {}

GpuPool::Lease::Lease(Lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      place_(std::exchange(other.place_, nullptr)),
      lock_(std::exchange(other.lock_, std::nullopt)) {}

GpuPool::Lease& GpuPool::Lease::operator=(Lease other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(place_, other.place_);
  std::swap(lock_, other.lock_);
  return *this;
}

GpuPool::Lease::~Lease() {
  lock_.reset();
  if (place_ == nullptr) return;
  phase_over("device given back");
  // Wakes no thread, so that other graders, which poll, get the device as often as this one.
  const std::scoped_lock guard(pool_->guard_);
  place_->busy = false;
}

Referee* GpuPool::Lease::referee() const {
  return place_ == nullptr ? nullptr : place_->referee.get();
}

const GpuId& GpuPool::Lease::gpu() const { return place_->candidate.id; }

const DeviceLock& GpuPool::Lease::lock() const { return *lock_; }

void GpuPool::Lease::retire(const Error& why) {
  if (place_ == nullptr) return;
  {
    const std::scoped_lock guard(pool_->guard_);
    place_->failure = why;
  }
  *this = Lease();
}

/// The first free device that works; nullopt if there is none.
std::optional<GpuPool::Lease> GpuPool::take_free(std::map<std::string, LockPatience>* patience) {
  for (Place& place : places_) {
    {
      const std::scoped_lock guard(guard_);
      if (place.busy || place.failure) continue;
      place.busy = true;
    }
    const std::string& uuid = place.candidate.id.uuid;
    std::optional<DeviceLock> lock =
        DeviceLock::try_take(uuid, patience != nullptr ? &patience->at(uuid) : nullptr);
    if (!lock) {
      const std::scoped_lock guard(guard_);
      place.busy = false;
      continue;
    }
    Lease lease(*this, place, *std::move(lock));
    // Made under the device's lock, because its memory must not come into another grader's run.
    try {
      if (!place.referee) {
        auto referee = place.candidate.make();
        const std::scoped_lock guard(guard_);
        place.referee = std::move(referee);
      }
      return lease;
    } catch (const Error& e) {
      lease.retire(e);
    }
  }
  return std::nullopt;
}

/// Null if the referee was not made yet.
Referee* GpuPool::referee_of(const Place& place) const {
  const std::scoped_lock lock(guard_);
  return place.referee.get();
}

/// A thread's place in the line, until it has a device or gives up.
struct GpuPool::InLine {
  explicit InLine(GpuPool& all) : pool(all) {
    const std::scoped_lock lock(pool.guard_);
    waiter = pool.line_.insert(pool.line_.end(), 0);
  }
  InLine(const InLine&) = delete;
  InLine& operator=(const InLine&) = delete;
  ~InLine() {
    const std::scoped_lock lock(pool.guard_);
    pool.line_.erase(waiter);
    pool.line_changed_.notify_all();
  }

  GpuPool& pool;
  Line::iterator waiter;
};

std::map<std::string, LockPatience> GpuPool::patience_for_each(const Listener& listen) const {
  std::map<std::string, LockPatience> patience;
  for (const Place& place : places_)
    patience.emplace(place.candidate.id.uuid, LockPatience(listen));
  return patience;
}

void GpuPool::fail_without_devices() const {
  std::vector<std::string> why;
  std::set<std::string> hints{"`nvidia-smi` and `dmesg` tell more"};
  for (const Place& place : places_) {
    if (!place.failure) continue;
    why.push_back(fmt::format("{}: {}", place.candidate.id.uuid, place.failure->what()));
    if (!place.failure->hint.empty()) hints.insert(place.failure->hint);
  }
  throw Error(fmt::format("{} left to grade on: {}",
                          why.size() == places_.size() ? "no GPU is" : "too few GPUs are",
                          fmt::join(why, "; ")),
              fmt::format("{}; once the GPU works, repeat the command: it grades submissions "
                          "without a result",
                          fmt::join(hints, "; ")));
}

void GpuPool::pause_in(const InLine& here) {
  interrupt::check();
  // All graders poll, so that none has the device to itself. Between two turns the device is idle
  // for a part of the first pause.
  constexpr std::chrono::milliseconds kPauseOfTheNext(2), kPause(100);
  std::unique_lock lock(guard_);
  line_changed_.wait_for(lock, here.waiter == line_.begin() ? kPauseOfTheNext : kPause);
}

GpuPool::Lease GpuPool::take(const Listener& listen, const Launch& launch) {
  found_.get();
  if (places_.empty()) return {};
  auto patience = patience_for_each(listen);
  // With several devices it is not known on which one to launch.
  if (launch && places_.size() == 1)
    if (Referee* const device = referee_of(places_.front())) launch(*device);
  const InLine here(*this);
  for (;;) {
    if (auto lease = take_free(&patience)) return *std::move(lease);
    if (count() == 0) fail_without_devices();
    pause_in(here);
  }
}

GpuPool::Leases GpuPool::take_together(int wanted, const Listener& listen) {
  found_.get();
  const auto all = static_cast<std::size_t>(wanted);
  if (places_.size() < all)
    throw Error(
        fmt::format("{} GPUs of one model are needed, and opgrade sees {}", wanted, places_.size()),
        "grade on a machine that has them");
  auto patience = patience_for_each(listen);
  LockFile collecting(shared_lock_folder() / "opgrade-gpus-together.lock");
  LockPatience for_turn(listen);
  bool is_my_turn = false;
  Leases leases;
  const InLine here(*this);
  for (;;) {
    // Without the file, or if one grader keeps it too long, the devices' own locks remain.
    is_my_turn = is_my_turn || collecting.try_lock(LOCK_EX) || !collecting.problem().empty() ||
                 for_turn.is_over(collecting);
    while (is_my_turn && leases.size() < all) {
      auto lease = take_free(&patience);
      if (!lease) break;
      leases.push_back(*std::move(lease));
    }
    if (leases.size() == all) break;
    if (count() < wanted) fail_without_devices();
    pause_in(here);
  }
  std::ranges::sort(leases, {}, [](const Lease& lease) { return lease.gpu().uuid; });
  return leases;
}

std::optional<GpuPool::Lease> GpuPool::try_take() {
  found_.get();
  return take_free();
}

int GpuPool::count() const {
  found_.wait();
  const std::scoped_lock guard(guard_);
  return static_cast<int>(
      std::ranges::count_if(places_, [](const Place& place) { return !place.failure; }));
}

std::string GpuPool::model() const {
  found_.wait();
  return places_.empty() ? "" : places_.front().candidate.id.name;
}

std::vector<GpuId> GpuPool::unused() const {
  found_.wait();
  return unused_;
}

namespace {

[[noreturn]] void retire(GpuPool::Lease& lease, const Error& why) {
  lease.retire(why);
  throw Error(why.what(), why.hint +
                              "; this run no longer uses the device: CUDA_VISIBLE_DEVICES chooses "
                              "others for the next one");
}

}  // namespace

void run_on(GpuPool::Lease& lease, const std::function<bool()>& work,
            const std::function<void()>& control, const std::function<bool()>& stays) {
  Referee* const referee = lease.referee();
  if (referee == nullptr) {
    work();
    if (control) control();
    return;
  }
  // A failure in `work` may be the grader's own, on a good device, or the device's.
  std::exception_ptr failure;
  bool passed = false;
  try {
    if (!stays || !stays()) referee->begin_case();
    passed = work();
  } catch (const interrupt::Interrupted&) {
    throw;
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    if (!passed) check_device(referee);
    if (!stays || !stays()) referee->prove_usable();
    phase_over("device proven usable");
  } catch (const Error& e) {
    retire(lease, e);
  }
  if (failure) std::rethrow_exception(failure);
  if (!control) return;
  try {
    control();
  } catch (const DeviceFault& e) {
    retire(lease, e);
  }
}

void run_on(std::span<GpuPool::Lease> leases, const std::function<bool()>& work,
            const std::function<void()>& control, const std::function<bool()>& stays) {
  if (leases.size() > 1) {
    bool passed = false;
    const auto on_others = [&] {
      run_on(
          leases.subspan(1), [&] { return passed = work(); }, {}, stays);
      return passed;
    };
    return run_on(leases.front(), on_others, control, stays);
  }
  GpuPool::Lease none;
  run_on(leases.empty() ? none : leases.front(), work, control, stays);
}

}  // namespace opgrade
