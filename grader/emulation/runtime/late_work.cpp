#include "grader/emulation/runtime/late_work.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "grader/emulation/runtime/devices.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/graphs.hpp"
#include "grader/emulation/runtime/late_copies.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "grader/emulation/runtime/symbols.hpp"
#include "grader/emulation/runtime/variation.hpp"

namespace opgrade_emulation {

struct GivenWork {
  Work work;
  std::vector<Mark> after;  ///< marks of other streams
  WorkQueue* queue = nullptr;
  std::uint64_t number = 0;  ///< in the order of the calls
  bool host_sees = false;    ///< it uses memory that host code may use
  bool done = false;         ///< set just before the work is done
  cudaError_t result = cudaSuccess;
};

struct WorkQueue {
  int device = 0;
  bool waits_for_legacy = false;  ///< and the legacy stream waits for this one
  std::deque<Mark> waiting;
  Mark last;  ///< the last work given, done or not
};

namespace {

// A program may launch in an endless loop and wait only at its end, so the number of waiting works
// is limited.
constexpr std::size_t kMostWaiting = 1024;

bool overlap(const UsedBytes& a, const UsedBytes& b) {
  const auto begin = [](const UsedBytes& u) { return reinterpret_cast<std::uintptr_t>(u.begin); };
  return begin(a) < begin(b) + b.bytes && begin(b) < begin(a) + a.bytes;
}

bool is_pageable(const void* address) {
  return !device_range().contains(address) && find_symbol(device_side(address)) == nullptr &&
         !is_registered(address);
}

bool is_host_memory(const void* address) {
  Allocation a;
  return device_range().contains(address)
             ? find_allocation(address, a) && a.kind == MemoryKind::pinned
             : find_symbol(device_side(address)) == nullptr;
}

/// True for work that CUDA finishes before its call returns ("API synchronization behavior"):
/// copies of memory that is not pinned, and copies from the host to the host. With several devices,
/// also work in a default stream, because it may wait for two devices, and work that names a
/// variable, because each device has its own.
bool is_done_in_its_call(cudaStream_t stream, const Work& work) {
  if (work.is_kernel || work.uses.empty()) return false;
  const auto begins_in = [](bool (*kind)(const void*)) {
    return [kind](const UsedBytes& used) { return kind(used.begin); };
  };
  if (std::ranges::any_of(work.uses, begins_in(is_pageable)) ||
      std::ranges::all_of(work.uses, begins_in(is_host_memory)))
    return true;
  if (device_count() == 1) return false;
  return !is_handle(stream) ||
         std::ranges::any_of(work.uses, begins_in([](const void* address) {
                               return find_symbol(device_side(address)) != nullptr;
                             }));
}

bool host_may_use(const UsedBytes& used) {
  if (!device_range().contains(used.begin)) {
    const SymbolRange* const symbol = find_symbol(used.begin);
    return symbol == nullptr || symbol->kind == SymbolKind::managed;
  }
  Allocation a;
  return find_allocation(used.begin, a) &&
         (a.kind == MemoryKind::pinned || a.kind == MemoryKind::managed);
}

SourceLine place_of(const Work& work) {
  if (work.site != nullptr) return source_line(work.site);
  SourceLine place;
  place.file = work.file;
  place.line = work.line;
  return place;
}

/// A possible finding, and how likely it explains wrong outputs: higher values are likelier.
struct Suspicion {
  /// `by_the_way`: the call that waited has another purpose.
  enum Likelihood {
    none,
    waited_for,
    variable,  ///< work of a kernel in a program with managed variables
    host_memory,
    variable_by_the_way,
    host_memory_by_the_way,
    overtaken
  };
  Likelihood likelihood = none;
  const void* wait = nullptr;  ///< the call that waited
  Work work{};                 ///< the work that the message names
  SourceLine place;
  std::string message;
};

class LateWork {
 public:
  static LateWork& instance() {
    static auto* const work = new LateWork;  // outlives every static destructor of the submission
    return *work;
  }

  cudaError_t give(cudaStream_t stream, Work work) {
    const std::lock_guard lock(mutex_);
    const bool at_once = is_done_in_its_call(stream, work);
    const Wait wait{work.name, work.site, false};
    const Mark given = add(stream, std::move(work), {});
    if (at_once) finish(given, &wait);
    if (waiting_ > kMostWaiting) finish_in_order();
    return given->result;
  }

  Mark add(cudaStream_t stream, Work work, std::vector<Mark> after) {
    const std::lock_guard lock(mutex_);
    const auto queue = queue_of(stream);
    auto given = std::make_shared<GivenWork>();
    given->host_sees = std::ranges::any_of(work.uses, host_may_use);
    given->work = std::move(work);
    given->after = std::move(after);
    given->queue = queue.get();
    given->number = ++given_;
    // The legacy stream and all streams that are not cudaStreamNonBlocking wait for each other.
    const auto& legacy = legacy_[queue->device];
    for (const auto& other : queues_)
      if (other->device == queue->device && other != queue &&
          ((queue == legacy && other->waits_for_legacy) ||
           (other == legacy && queue->waits_for_legacy)) &&
          other->last != nullptr && !other->last->done)
        given->after.push_back(other->last);
    queue->waiting.push_back(given);
    queue->last = given;
    ++waiting_;
    return given;
  }

  /// `wait`: the call that needs the work done, or null.
  void finish(const Mark& mark, const Wait* wait) {
    const std::lock_guard lock(mutex_);
    while (!mark->done) {
      const Mark first = mark->queue->waiting.front();
      mark->queue->waiting.pop_front();
      --waiting_;
      first->done = true;
      for (const Mark& earlier : std::exchange(first->after, {})) finish(earlier, wait);
      const auto perform = std::exchange(first->work.perform, {});
      if (wait != nullptr) suspect(*first, *wait);
      if (perform) first->result = perform();
    }
  }

  void finish_stream(cudaStream_t stream, const Wait& wait) {
    const std::lock_guard lock(mutex_);
    finish(add(stream, {}, {}), &wait);
  }

  /// Of streams that nothing orders, the one that was given work last comes first.
  void finish_device(int device, const Wait& wait) {
    const std::lock_guard lock(mutex_);
    for (;;) {
      Mark last;
      for (const auto& queue : queues_)
        if (queue->device == device && !queue->waiting.empty() &&
            (last == nullptr || last->number < queue->last->number))
          last = queue->last;
      if (last == nullptr) break;
      finish(last, &wait);
    }
    std::erase_if(queues_, [](const auto& queue) {  // its stream is destroyed, and so is its use
      return queue.use_count() == 1 && queue->waiting.empty();
    });
  }

  void report() {
    const std::lock_guard lock(mutex_);
    for (const auto& queue : queues_)
      for (const Mark& left : queue->waiting) suspect(*left, {"the program's end", nullptr, false});
    if (suspicion_.likelihood == Suspicion::none) return;
    opgrade_emulation::report({.kind = "missing_wait",
                               .message = suspicion_.message,
                               .file = suspicion_.place.file,
                               .line = suspicion_.place.line});
    suspicion_ = {};
  }

  std::shared_ptr<WorkQueue> new_queue(int device, bool waits_for_legacy) {
    const std::lock_guard lock(mutex_);
    auto queue = std::make_shared<WorkQueue>();
    queue->device = device;
    queue->waits_for_legacy = waits_for_legacy;
    queues_.push_back(queue);
    return queue;
  }

 private:
  std::shared_ptr<WorkQueue> queue_of(cudaStream_t stream) {
    if (is_handle(stream)) {
      if (stream->queue == nullptr)
        stream->queue = new_queue(stream->device, !stream->is_non_blocking);
      return stream->queue;
    }
    const bool legacy = stream != cudaStreamPerThread;
    auto& queue = (legacy ? legacy_ : per_thread_)[current_device()];
    if (queue == nullptr) queue = new_queue(current_device(), !legacy);
    return queue;
  }

  void finish_in_order() {
    for (;;) {
      Mark first;
      for (const auto& queue : queues_)
        if (!queue->waiting.empty() &&
            (first == nullptr || queue->waiting.front()->number < first->number))
          first = queue->waiting.front();
      if (first == nullptr) return;
      finish(first, nullptr);
    }
  }

  void suspect(const GivenWork& now, const Wait& wait) {
    if (now.work.name[0] == '\0') return;  // a mark
    for (const auto& queue : queues_)
      for (const Mark& other : queue->waiting)
        if (other->number < now.number && use_the_same(other->work, now.work))
          return keep(Suspicion::overtaken, other->work, nullptr, [&](const SourceLine& place) {
            return std::string(other->work.name) + " and " + now.work.name + " in " +
                   line_in_words(place_of(now.work), place) +
                   " use the same memory in two streams, and nothing orders them. Record an event "
                   "behind the first and let the other's stream wait for it (cudaStreamWaitEvent), "
                   "or give both to one stream.";
          });
    const SourceLine at = wait.site != nullptr ? source_line(wait.site) : SourceLine();
    const bool meant = wait.only_waits && !at.file.empty();  // false for a wait of the grader
    const bool perhaps = now.work.is_kernel && has_managed_variables();
    const auto likelihood =
        now.host_sees ? (meant ? Suspicion::host_memory : Suspicion::host_memory_by_the_way)
        : perhaps     ? (meant ? Suspicion::variable : Suspicion::variable_by_the_way)
                      : Suspicion::waited_for;
    keep(likelihood, now.work, wait.site, [&](const SourceLine& place) {
      return std::string("Host code goes on while ") + now.work.name + " is under way: " +
             (at.file.empty() ? std::string("nothing waits for it before the end of the call")
                              : std::string(wait.function) + " in " + line_in_words(at, place) +
                                    " is the first that waits for it") +
             ". Call cudaDeviceSynchronize() or cudaStreamSynchronize() before host code reads "
             "what it writes, or changes what it reads.";
    });
  }

  static bool use_the_same(const Work& a, const Work& b) {
    return std::ranges::any_of(a.uses, [&](const UsedBytes& one) {
      return std::ranges::any_of(b.uses, [&](const UsedBytes& other) {
        return (one.changed || other.changed) && overlap(one, other);
      });
    });
  }

  static bool read_the_same(const Work& a, const Work& b) {
    return std::ranges::any_of(a.uses, [&](const UsedBytes& one) {
      return std::ranges::any_of(b.uses, [&](const UsedBytes& other) {
        return !one.changed && !other.changed && overlap(one, other);
      });
    });
  }

  /// If one call waits for several works, the last work is named, because the wait belongs behind
  /// it. But if two copies read one buffer, the wait belongs before the second.
  template <class Words>
  void keep(Suspicion::Likelihood likelihood, const Work& work, const void* wait,
            const Words& words) {
    if (likelihood < suspicion_.likelihood) return;
    const bool same_wait = wait != nullptr && wait == suspicion_.wait;
    if (likelihood == suspicion_.likelihood && (!same_wait || read_the_same(suspicion_.work, work)))
      return;
    const SourceLine place = place_of(work);
    if (place.file.empty()) return;  // the grader's own work
    suspicion_ = {likelihood, wait, work, place, words(place)};
  }

  std::recursive_mutex mutex_;  // work may be a host function that calls the runtime
  std::vector<std::shared_ptr<WorkQueue>> queues_;
  std::map<int, std::shared_ptr<WorkQueue>> legacy_, per_thread_;  // by device
  std::uint64_t given_ = 0;
  std::size_t waiting_ = 0;
  Suspicion suspicion_;
};

}  // namespace

cudaError_t give(cudaStream_t stream, Work work) {
  if (!variation().late) return work.perform();
  return LateWork::instance().give(stream, std::move(work));
}

Mark mark_in(cudaStream_t stream) {
  return variation().late ? LateWork::instance().add(stream, {}, {}) : nullptr;
}

void wait_in(cudaStream_t stream, const Mark& mark) {
  if (mark != nullptr) LateWork::instance().add(stream, {}, {mark});
}

void finish_until(const Mark& mark, const Wait& wait) {
  if (mark != nullptr) LateWork::instance().finish(mark, &wait);
}

void finish_stream(cudaStream_t stream, const Wait& wait) {
  if (variation().late) LateWork::instance().finish_stream(stream, wait);
}

void finish_device(int device, const Wait& wait) {
  if (variation().late) LateWork::instance().finish_device(device, wait);
}

void finish_all(const Wait& wait) {
  if (!variation().late) return;
  for (int device = 0; device < device_count(); ++device) finish_device(device, wait);
}

void report_missing_wait() {
  if (!variation().late) return;
  if (!report_copies_without_wait()) LateWork::instance().report();
}

}  // namespace opgrade_emulation
