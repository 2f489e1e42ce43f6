/// The running thread as the checks see it.
#pragma once

#include "grader/emulation/runtime/check/shadow.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {

/// Cells that mean "nothing new" for the running thread. They are rebuilt whenever another thread
/// runs or a barrier is passed, so that an access needs only one comparison. All but `many` have
/// kWritten set.
struct Self {
  Cell write = 0;            ///< the thread wrote last
  Cell read = 0;             ///< the thread read last, alone
  Cell warp_read = 0;        ///< several lanes of its warp read it since the warp's last barrier
  Cell block_read = 0;       ///< several warps of its block read it since the block's last barrier
  Cell many = ~Cell{0};      ///< several blocks read it in this launch
  std::uintptr_t stack = 0;  ///< lowest address of its stack
  std::uintptr_t builtin = 0;  ///< where threadIdx and the like are
  std::uintptr_t symbol = 0;   ///< the __constant__ variable it used last
  std::size_t symbol_bytes = 0;
  std::uintptr_t parameters = 0;  ///< of the kernel, which each thread copies
  std::size_t parameter_bytes = 0;
};

extern __thread Self self OPGRADE_TLS;
extern __thread bool in_kernel OPGRADE_TLS;
extern Shadow shadow;

struct BlockClock {
  std::uint32_t epoch[kMaxThreads / 32] = {};    ///< of each warp: counts its barriers
  std::uint32_t barrier[kMaxThreads / 32] = {};  ///< the epoch at the block's last barrier
};
extern BlockClock block_clock;
extern Cell launch_tag;
extern Cell block_tag;  ///< launch and block

inline constexpr std::size_t kBuiltinBytes = 4096;

/// An attempt is an atomic operation that changes nothing if the word does not have the expected
/// value: a compare-and-swap, a maximum. Operations `of_block` are atomic only among the block's
/// threads.
enum class Access {
  read,
  volatile_read,
  write,
  update,
  attempt,
  update_of_block,
  attempt_of_block
};
constexpr bool is_read(Access a) { return a <= Access::volatile_read; }
constexpr bool is_atomic(Access a) { return a >= Access::update; }
constexpr bool is_attempt(Access a) {
  return a == Access::attempt || a == Access::attempt_of_block;
}
constexpr bool is_of_block(Access a) { return a >= Access::update_of_block; }

/// Handles every case of an access except the common one.
void check_slowly(std::uintptr_t address, unsigned bytes, Access access, const void* site);
/// Judges an access to one cell and remembers it there.
void judge_cell(Cell& cell, std::uint32_t& where, std::uintptr_t address, unsigned bytes,
                Access access, const void* site);
/// Checks an access outside of device memory.
void check_elsewhere(std::uintptr_t address, unsigned bytes, Access access, const void* site);

/// Lets `__device__` variables' cells forget the launches they remember.
void forget_symbol_launches();

extern bool writes_race;  ///< some writes have raced since another thread ran
/// Judges the writes that raced since another thread ran. Writes that changed nothing become notes.
void settle_racing_writes();

/// `what` is the message. If it ends with ": ", a phrase on the address is appended; if it is
/// empty, a message is made.
void report_access(const char* kind, std::uintptr_t address, unsigned bytes, Access access,
                   const void* site, const std::string& what, const char* severity = "error");

/// True if the address lies in a __shared__ variable, or in the dynamic part of the launch.
bool in_shared_variable(std::uintptr_t address);

}  // namespace opgrade_emulation
