/// One host thread that runs blocks. Only CUDA threads that have to wait need a fiber of their own.
#pragma once

#include <setjmp.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "grader/emulation/runtime/meeting.hpp"
#include "opgrade_emulation/kernel.hpp"
#include "opgrade_emulation/synchronize.hpp"

namespace opgrade_emulation {

inline constexpr unsigned kMaxThreads = 1024;
// A closed page: 4 KiB on x86-64; at most 64 KiB on ARM64, where the system chooses the size.
#if defined(__x86_64__)
inline constexpr std::size_t kGuardBytes = 4096;
#else
inline constexpr std::size_t kGuardBytes = 64 * 1024;
#endif
// The most local memory that CUDA gives a thread, plus a guard. On x86-64 the size is an odd number
// of pages. Stacks that are 128 pages apart would all share one set of the TLB, and every switch
// would miss it.
inline constexpr std::size_t kStackBytes = 512 * 1024 + kGuardBytes;
// A block's shared memory. It has room for the __shared__ variables of every kernel of the
// submission, a guard page, room for the dynamic part, a guard page.
inline constexpr std::size_t kStaticSharedRoom = 4 * 1024 * 1024;
inline constexpr std::size_t kDynamicSharedEnd = kStaticSharedRoom + kGuardBytes + 256 * 1024;
inline constexpr std::size_t kSharedRoom = kDynamicSharedEnd + kGuardBytes;

struct Launch {
  Kernel* kernel;
  std::uint64_t number;  ///< among all launches
  dim3 grid, block;
  std::size_t shared;
  ThreadLoop loop;
  const void* body;  ///< the kernel's parameters, as its body captured them
  std::size_t body_bytes;
  std::uint64_t blocks;
  unsigned threads;
  unsigned chunk;  ///< blocks taken at a time
  int device = 0;
  bool cooperative = false;  ///< all blocks live at once, and may wait for each other
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<bool> failed{false};
  Meeting meeting;  ///< for exchanges on global memory if blocks are interleaved
};

enum class Waiting : unsigned char { no, block, warp, grid };

/// All data that a barrier needs is in one cache line.
struct alignas(64) Fiber {
  void* stack_pointer = nullptr;
  uint3 index{};
  unsigned thread = 0;           ///< in the block, x fastest
  const void* site = nullptr;    ///< return address of the call that waits
  char* stack = nullptr;         ///< lowest address; the first kGuardBytes are closed
  unsigned long long value = 0;  ///< argument of a warp operation, then its result
  unsigned mask = 0;
  int lane = 0;  ///< the lane whose value is wanted
  WarpOperation operation = WarpOperation::none;
  bool has_swapped = false;  ///< the thread has tried a compare-and-swap
  void* top = nullptr;
};

struct Warp {
  unsigned exists = 0, done = 0, waiting = 0;  ///< lanes
};

class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Takes blocks of the launch and runs them until none is left.
  void run(Launch& launch, const std::vector<Worker*>& all);

  /// Runs one block of a cooperative launch, from its begin or from its last grid.sync(). Returns
  /// true at the next grid.sync(), false at its end. All blocks take turns on one host thread.
  bool run_block(Launch& launch, std::uint64_t block, bool from_begin);
  /// Abandons a block whose grid.sync() can never complete.
  void give_up_block() { abandon_block(); }
  const void* grid_site() const { return grid_site_; }  ///< of the last grid.sync()

  // Called by the running CUDA thread.
  bool next_thread();
  void barrier(int predicate, const void* site);
  void grid_barrier(const void* site);
  int vote(Vote vote) const;
  unsigned long long exchange(WarpOperation operation, unsigned mask, unsigned long long value,
                              int lane, const void* site);
  void collective(void (*perform)(void** lanes), void* mine, const void* site);
  void yield();
  void yield_now_and_then();
  /// Called before an exchange: lets all other threads of the block run until they wait, too. If
  /// `all_blocks`, also lets the blocks of other host threads run. Stores the earlier content of
  /// `address` in the thread's `value`.
  void let_others_come_first(const void* address, std::size_t bytes, bool all_blocks);
  bool is_first_swap();  ///< the running thread is about to try its first compare-and-swap
  void wait_for_earlier_blocks();
  [[noreturn]] void abandon_kernel();

  unsigned thread_number() const;                        ///< of the running thread, in its block
  std::uint64_t block_number() const { return block_; }  ///< in the order of their begin
  const Launch* launch() const { return launch_; }
  char* shared() const { return shared_; }
  /// The dynamic part ends right before the closed page, except for alignment to 128 bytes.
  char* dynamic_shared() const {
    return shared_ + kDynamicSharedEnd - (launch_->shared + 127) / 128 * 128;
  }
  Waiting waiting(unsigned thread) const { return waiting_[thread]; }
  Fiber* waiting_fiber(unsigned thread) const { return fiber_of_[thread]; }  ///< the last that did
  unsigned threads() const { return launch_->threads; }
  unsigned done() const { return done_; }
  /// True if no thread has ended, and all threads wait at the same call of a barrier.
  bool all_at_one_barrier() const { return done_ == 0 && arrived_at_one_; }
  const Warp& warp(unsigned i) const { return warps_[i]; }
  bool in_guard(const void* address) const;
  const Fiber& current() const { return *current_; }

 private:
  friend void fiber_main();
  bool take_block();
  void enter(Launch& launch);
  void leave();
  /// Runs threads until none can run any more.
  void schedule();
  void begin_block(std::uint64_t block);
  void set_block_index();
  void start_thread(Fiber& fiber);
  void keep_order_no_longer();
  void suspend();
  void leave_fiber();
  void switch_to(Fiber& from, Fiber& to);
  void make_ready(Fiber* fiber) { ready_[ready_end_++ % kQueue] = fiber; }
  Fiber* pop_ready();
  Fiber* fresh_fiber();
  void release_barrier();
  void wake_all(Waiting which);
  bool warp_complete(const Fiber& fiber, unsigned lanes) const;
  bool perform_complete(unsigned number);
  void perform(unsigned warp, unsigned lanes, WarpOperation operation, bool self_goes_on);
  void resolve_standstill();
  void abandon_block();
  void go_on_from_grid_barrier();

  static constexpr unsigned kQueue = 2048;
  Launch* launch_ = nullptr;
  const std::vector<Worker*>* all_ = nullptr;
  std::atomic<std::uint64_t> position_{~std::uint64_t{0}};  // block + 1; 0 while taking some
  std::uint64_t block_ = 0, chunk_end_ = 0;
  bool block_active_ = false;
  bool earliest_ = false;
  unsigned started_ = 0, done_ = 0, at_barrier_ = 0, at_grid_ = 0;
  const void* grid_site_ = nullptr;
  unsigned atomics_ = 0;  ///< for yield_now_and_then()
  int vote_count_ = 0, vote_result_ = 0, voters_ = 0, voters_result_ = 0;
  void (*collective_)(void** lanes) = nullptr;
  Fiber root_;
  Fiber* current_ = nullptr;
  Fiber* fiber_of_[kMaxThreads] = {};
  Waiting waiting_[kMaxThreads];
  Fiber* arrived_[kMaxThreads];  ///< at the barrier, at_barrier_ of them
  bool arrived_in_order_ = true, arrived_at_one_ = true;
  Warp warps_[kMaxThreads / 32];
  Fiber* ready_[kQueue];
  unsigned ready_begin_ = 0, ready_end_ = 0;
  std::vector<Fiber*> fibers_;
  std::vector<Fiber*> free_;
  char* shared_;
  sigjmp_buf escape_;
};

extern __thread Worker* current_worker OPGRADE_TLS;  // set while this host thread runs a kernel

/// Calls `use` for every worker that was ever made: none is destroyed.
void each_worker(const std::function<void(const Worker&)>& use);

/// Runs a cooperative launch on the calling host thread.
void execute_cooperatively(Launch& launch);

}  // namespace opgrade_emulation
