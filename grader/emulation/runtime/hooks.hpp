/// What the checking build and the counting build add to the runtime. The plain build has none.
#pragma once

#include <cstddef>

#include "opgrade_emulation/api.hpp"
#include "opgrade_emulation/kernel.hpp"
#include "opgrade_emulation/synchronize.hpp"

namespace opgrade_emulation {

struct Fiber;
struct LaunchCounts;
class Worker;

/// The defaults do nothing, for builds that do not need a hook.
struct CheckHooks {
  /// Called before launch_begins, which each grid.sync() calls again.
  void (*cooperative_launch_begins)() = [] {};
  void (*launch_begins)() = [] {};
  void (*launch_ends)() = [] {};
  void (*block_begins)(Worker&) = [](Worker&) {};
  void (*block_goes_on)(Worker&) = [](Worker&) {};  ///< after a grid.sync()
  void (*thread_runs)(const Fiber&) = [](const Fiber&) {};
  void (*warp_synchronized)(Worker&, unsigned warp) = [](Worker&, unsigned) {};
  void (*block_synchronized)(Worker&) = [](Worker&) {};
  void (*barrier_diverged)(Worker&) = [](Worker&) {};
  void (*warp_diverged)(const Fiber&) = [](const Fiber&) {};
  void (*allocated)(const void* address, std::size_t bytes,
                    MemoryKind kind) = [](const void*, std::size_t, MemoryKind) {};
  void (*freed)(const void* address, std::size_t bytes) = [](const void*, std::size_t) {};
  void (*written)(const void* address, std::size_t bytes) = [](const void*, std::size_t) {};
  void (*unwritten)(const void* address, std::size_t bytes) = [](const void*, std::size_t) {};
  /// Offset of the first byte in the range that nothing wrote; `bytes` if there is none.
  std::size_t (*first_unwritten)(const void* address, std::size_t bytes) =
      [](const void*, std::size_t bytes) { return bytes; };
  void (*unwritten_was_copied)() = [] {};  ///< unwritten memory was copied to the host
  void (*shared_slot_placed)(long offset, std::size_t bytes) = [](long, std::size_t) {};
  /// Called by the running kernel.
  void (*shared_slot_used)(long offset, std::size_t bytes) = [](long, std::size_t) {};
  /// `traits`: see order_atomic().
  void (*atomic)(const void* address, std::size_t bytes, unsigned traits,
                 const void* site) = [](const void*, std::size_t, unsigned, const void*) {};
  void (*fence)() = [] {};  ///< by the running thread
  /// Called after `written` for device memory, and for a kernel's parameters, if the bytes came
  /// from the host.
  void (*came_from_host)(const void* address, std::size_t bytes) = [](const void*, std::size_t) {};
  void (*came_from_device)(const void* to, const void* from,
                           std::size_t bytes) = [](const void*, const void*, std::size_t) {};
  void (*parameters_end)(const void* address, std::size_t bytes) = [](const void*, std::size_t) {};
  void (*warp_operation)(WarpOperation operation) = [](WarpOperation) {};  ///< a warp performs it
  /// The counting build returns what the last launch's threads did; the checking build returns
  /// null.
  const LaunchCounts* (*counted)() = []() -> const LaunchCounts* { return nullptr; };
};

/// The definition is linked only if the submission's code calls it, so not in the plain build.
extern const CheckHooks the_checks __attribute__((weak, visibility("hidden")));
inline const CheckHooks* const check = &the_checks;

}  // namespace opgrade_emulation
