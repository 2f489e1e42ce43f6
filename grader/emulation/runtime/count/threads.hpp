/// The position of each thread of the running block: its calls and the rounds of its loops.
#pragma once

#include <array>
#include <cstdint>

#include "grader/emulation/runtime/count/warp_log.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {

struct ThreadPlace {
  static constexpr unsigned kDeepest = 64;  ///< deeper calls all count as one position
  std::uint64_t path = 0;
  WarpLog::Cursor cursor;
  LoopRound loop;
  bool idle = true;
  unsigned depth = 0;
  std::uint64_t outer[kDeepest];
};

/// The running thread, and the data that every access needs.
struct Here {
  ThreadPlace* place = nullptr;  ///< null on the host
  WarpLog* log = nullptr;        ///< log of its warp
  unsigned lane = 0;
  /// Lowest addresses. The initial value of `shared` matches no access of the host.
  std::uintptr_t device = 0, shared = 0 - kSharedRoom, stack = 0;
  std::size_t device_bytes = 0;  ///< includes shared memory, which lies in this range
  std::uintptr_t symbols = 0;    ///< lowest address of all variables
  std::size_t symbols_bytes = 0;
};
extern __thread Here here OPGRADE_TLS;

}  // namespace opgrade_emulation
