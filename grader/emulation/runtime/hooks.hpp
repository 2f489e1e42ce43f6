/// What the checking build and the counting build add to the runtime. Null in the plain one.
#pragma once

#include <cstddef>

#include "opgrade_emulation/api.hpp"
#include "opgrade_emulation/kernel.hpp"
#include "opgrade_emulation/synchronize.hpp"

namespace opgrade_emulation {

struct Fiber;
struct LaunchCounts;
class Worker;

struct CheckHooks {
  void (
      *cooperative_launch_begins)();  ///< before launch_begins, which each grid.sync() calls again
  void (*launch_begins)();
  void (*launch_ends)();
  void (*block_begins)(Worker&);
  void (*block_goes_on)(Worker&);  ///< after a grid.sync()
  void (*thread_runs)(const Fiber&);
  void (*warp_synchronized)(Worker&, unsigned warp);
  void (*block_synchronized)(Worker&);
  void (*barrier_diverged)(Worker&);
  void (*warp_diverged)(Worker&, const Fiber&);
  void (*allocated)(const void* address, std::size_t bytes, MemoryKind kind);
  void (*freed)(const void* address, std::size_t bytes);
  void (*written)(const void* address, std::size_t bytes);
  void (*unwritten)(const void* address, std::size_t bytes);
  /// Offset of the first byte in the range that nothing wrote; `bytes` if there is none.
  std::size_t (*first_unwritten)(const void* address, std::size_t bytes);
  void (*shared_slot_placed)(long offset, std::size_t bytes);
  void (*shared_slot_used)(long offset, std::size_t bytes);  ///< by the running kernel
  void (*atomic)(const void* address, std::size_t bytes, const void* site);
  void (*fence)();
  void (*warp_operation)(WarpOperation operation);  ///< a warp performs it
  /// What the last launch's threads did, in the counting build; null in the other.
  const LaunchCounts* (*counted)();
};

/// Its definition is linked where the submission's code calls it, so not in the plain build.
extern const CheckHooks the_checks __attribute__((weak, visibility("hidden")));
inline const CheckHooks* const check = &the_checks;

}  // namespace opgrade_emulation
