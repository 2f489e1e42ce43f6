/// The GPUs that this process grades on, each given to one thread at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/grade.hpp"
#include "grader/grading/device/timing_lock.hpp"
#include "grader/platform/gpu/referee.hpp"

namespace opgrade {

/// Thrown if a control run has shown that a device, or the way to it, does not work.
struct DeviceFault : Error {
  using Error::Error;
};

/// Uses only devices of the first one's model, because Op Times must be comparable within a class.
/// Safe to use from several threads at once.
class GpuPool {
  struct Place;

 public:
  /// A device that may be used, and its referee factory.
  struct Candidate {
    GpuId id;
    std::function<std::unique_ptr<Referee>()> make;
  };
  using Search = std::function<std::vector<Candidate>()>;

  /// Starts a process for the device. It may ask the device for its UUID, and for nothing else.
  using Launch = std::function<void(Referee& device)>;

  /// The devices that CUDA_VISIBLE_DEVICES shows.
  static std::vector<Candidate> visible();

  /// Looks for devices and makes the first free one ready, on a thread of its own, because both
  /// take some tenths of a second. Without `search` there are no devices.
  explicit GpuPool(const Search& search);

  /// One device, for as long as the lease lives: no other thread and no other grader has it.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease other) noexcept;
    ~Lease();

    /// Null for an empty lease: before take(), or if there is no device to referee on.
    Referee* referee() const;
    /// The leased device's. Only valid with a referee.
    const GpuId& gpu() const;
    const DeviceLock& lock() const;

    /// Releases the device and retires it, because it cannot be trusted any more.
    void retire(const Error& why);

   private:
    friend class GpuPool;
    Lease(GpuPool& pool, Place& place, DeviceLock lock);
    GpuPool* pool_ = nullptr;
    Place* place_ = nullptr;
    std::optional<DeviceLock> lock_;
  };

  /// Leases the first free device. Waits while all are busy here or with other graders, and tells
  /// `listen` for whom. The thread that has waited longest polls every 2 ms, the others every 100
  /// ms. Returns an empty lease if there is no device. Throws Error if all devices have failed, and
  /// Interrupted if that comes during the wait. If there is one device, `launch` is called before
  /// the wait.
  Lease take(const Listener& listen, const Launch& launch);
  Lease take(const Listener& listen = {}) { return take(listen, Launch()); }

  /// Several devices that one submission uses together, in the order of their UUIDs.
  using Leases = std::vector<Lease>;

  /// Leases so many devices, all or none. A thread that takes several waits while it holds some, so
  /// only one grader on this machine collects at a time; all others that wait hold none, or all
  /// that they want. So no two wait for each other. Throws Error if fewer devices are left.
  Leases take_together(int wanted, const Listener& listen = {});

  /// Leases the first device that is free now; does not wait for one in use.
  std::optional<Lease> try_take();

  /// The number of devices in use, without failed ones.
  int count() const;

  /// The model of the devices in use; empty if there are none.
  std::string model() const;

  /// The visible devices of another model.
  std::vector<GpuId> unused() const;

 private:
  struct Place {
    Candidate candidate;
    std::unique_ptr<Referee> referee;  ///< made when first used
    bool busy = false;
    std::optional<Error> failure;  ///< why it is not used any more
  };

  using Line = std::list<int>;
  struct InLine;

  std::map<std::string, LockPatience> patience_for_each(const Listener& listen) const;
  [[noreturn]] void fail_without_devices() const;
  void pause_in(const InLine& here);

  Referee* referee_of(const Place& place) const;
  std::optional<Lease> take_free(std::map<std::string, LockPatience>* patience = nullptr);
  void look(const Search& search);

  std::vector<Place> places_;
  std::vector<GpuId> unused_;
  Line line_;                 ///< threads that wait, in the order in which they came
  mutable std::mutex guard_;  ///< for the line, and what changes in a place except its referee
  std::condition_variable line_changed_;
  std::shared_future<void> found_;
};

/// Runs one case on a leased device, or on none. Notes the device's memory and does `work`, which
/// returns whether the case passed. Then proves the device usable for the next one, and does
/// `control`, if given. While `stays` says that the submission's process stays between cases, the
/// device's memory is neither noted nor waited for. A device that is not usable, or on which
/// `control` throws DeviceFault, is retired. Error is then thrown, because that was not the
/// submission's doing.
void run_on(GpuPool::Lease& lease, const std::function<bool()>& work,
            const std::function<void()>& control = {}, const std::function<bool()>& stays = {});

/// Does the same on several devices, each of which is noted and proven, or on none.
void run_on(std::span<GpuPool::Lease> leases, const std::function<bool()>& work,
            const std::function<void()>& control = {}, const std::function<bool()>& stays = {});

}  // namespace opgrade
