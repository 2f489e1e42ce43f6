/// Where each thread of the running block is: its calls and the rounds of its loops.
#pragma once

#include <array>
#include <cstdint>

#include "grader/emulation/runtime/count/warp_log.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {

struct ThreadPlace {
  static constexpr unsigned kDeepest = 64;  ///< calls beyond it are one place
  std::uint64_t path = 0;
  WarpLog::Cursor cursor;
  LoopRound loop;
  bool idle = true;
  unsigned depth = 0;
  std::uint64_t outer[kDeepest];
};

/// The thread that runs, and what every access asks for.
struct Here {
  ThreadPlace* place = nullptr;  ///< null on the host
  WarpLog* log = nullptr;        ///< of its warp
  unsigned lane = 0;
  /// Lowest addresses; shared memory's is one that no access of the host is behind.
  std::uintptr_t device = 0, shared = 0 - kSharedRoom, stack = 0;
  std::size_t device_bytes = 0;  ///< shared memory lies in this range, too
  std::uintptr_t symbols = 0;    ///< all variables lie from here
  std::size_t symbols_bytes = 0;
};
extern __thread Here here OPGRADE_TLS;

}  // namespace opgrade_emulation
