#include "grader/emulation/runtime/worker.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "grader/emulation/runtime/context_switch.hpp"
#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/variation.hpp"

__thread uint3 threadIdx OPGRADE_TLS;
__thread uint3 blockIdx OPGRADE_TLS;
__thread dim3 blockDim OPGRADE_TLS;
__thread dim3 gridDim OPGRADE_TLS;

namespace opgrade_emulation {

__thread bool threads_run_in_order OPGRADE_TLS;
__thread char* shared_memory OPGRADE_TLS;
__thread char* dynamic_shared_memory OPGRADE_TLS;
__thread Kernel* running_kernel OPGRADE_TLS;
__thread Worker* current_worker OPGRADE_TLS;

namespace {
std::mutex workers_mutex;
std::vector<const Worker*>& known_workers() {
  static auto* all = new std::vector<const Worker*>;
  return *all;
}
}  // namespace

void each_worker(const std::function<void(const Worker&)>& use) {
  const std::lock_guard lock(workers_mutex);
  for (const Worker* worker : known_workers()) use(*worker);
}

void fiber_main() {
  for (;;) {
    Worker& worker = *current_worker;
    worker.launch_->loop(worker.launch_->body);
    worker.leave_fiber();
  }
}

bool next_thread_out_of_order() { return current_worker->next_thread(); }

Worker::Worker() : shared_(reserve_shared_memory(kSharedRoom)) {
  mprotect(shared_ + kStaticSharedRoom, kGuardBytes, PROT_NONE);
  mprotect(shared_ + kDynamicSharedEnd, kGuardBytes, PROT_NONE);
  const std::lock_guard lock(workers_mutex);
  known_workers().push_back(this);
}

unsigned Worker::thread_number() const {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

void Worker::enter(Launch& launch) {
  launch_ = &launch;
  current_worker = this;
  running_kernel = launch.kernel;
  shared_memory = shared_;
  dynamic_shared_memory = dynamic_shared();
  blockDim = launch.block;
  gridDim = launch.grid;
}

void Worker::leave() {
  current_worker = nullptr;
  running_kernel = nullptr;
  launch_ = nullptr;
}

void Worker::run(Launch& launch, const std::vector<Worker*>& all) {
  enter(launch);
  all_ = &all;
  chunk_end_ = block_ = 0;
  catch_faults();
  if (check != nullptr) check->launch_begins();
  if (sigsetjmp(escape_, 0) != 0) {
    abandon_block();
  } else if (take_block()) {
    Fiber* first = fresh_fiber();
    start_thread(*first);
    switch_to(root_, *first);
  }
  schedule();
  if (check != nullptr) check->launch_ends();
  launch.meeting.leave();
  position_.store(~std::uint64_t{0}, std::memory_order_release);
  leave();
}

void Worker::schedule() {
  while (block_active_) {
    Fiber* next = pop_ready();
    if (next == nullptr && started_ < launch_->threads) start_thread(*(next = fresh_fiber()));
    if (next != nullptr) {
      switch_to(root_, *next);
    } else if (at_grid_ > 0 && at_grid_ == launch_->threads - done_) {
      return;
    } else {
      resolve_standstill();
    }
  }
}

bool Worker::take_block() {
  block_active_ = false;
  if (launch_->cooperative) return false;
  std::uint64_t next = block_ + 1;
  if (chunk_end_ == 0 || next >= chunk_end_) {
    position_.store(0, std::memory_order_seq_cst);
    next = launch_->next_block.fetch_add(launch_->chunk, std::memory_order_seq_cst);
    chunk_end_ = next + launch_->chunk < launch_->blocks ? next + launch_->chunk : launch_->blocks;
  }
  if (next >= launch_->blocks || launch_->failed.load(std::memory_order_relaxed)) return false;
  begin_block(next);
  return true;
}

void Worker::begin_block(std::uint64_t block) {
  block_ = block;
  position_.store(block + 1, std::memory_order_release);
  earliest_ = false;
  block_active_ = true;
  set_block_index();
  started_ = done_ = at_barrier_ = at_grid_ = 0;
  vote_count_ = voters_ = 0;
  ready_begin_ = ready_end_ = 0;
  std::fill_n(waiting_, launch_->threads, Waiting::no);
  for (unsigned w = 0; w * 32 < launch_->threads; ++w) {
    const unsigned lanes = launch_->threads - w * 32;
    warps_[w] = {lanes >= 32 ? ~0u : (1u << lanes) - 1, 0, 0};
  }
  threads_run_in_order = check == nullptr && !variation().reversed;
  if (check != nullptr) check->block_begins(*this);
}

void Worker::set_block_index() {
  const dim3& grid = launch_->grid;
  const std::uint64_t block = variation().reversed ? launch_->blocks - 1 - block_ : block_;
  blockIdx.x = static_cast<unsigned>(block % grid.x);
  blockIdx.y = static_cast<unsigned>(block / grid.x % grid.y);
  blockIdx.z = static_cast<unsigned>(block / grid.x / grid.y);
}

/// Starts the next thread that has not run yet, on this fiber.
void Worker::start_thread(Fiber& fiber) {
  const unsigned number = started_++;
  const unsigned thread = variation().reversed ? launch_->threads - 1 - number : number;
  fiber.thread = thread;
  fiber.index.x = thread % launch_->block.x;
  fiber.index.y = thread / launch_->block.x % launch_->block.y;
  fiber.index.z = thread / launch_->block.x / launch_->block.y;
  fiber.has_swapped = false;
  threadIdx = fiber.index;
  if (check != nullptr) check->thread_runs(fiber);
}

bool Worker::is_first_swap() {
  keep_order_no_longer();
  return !std::exchange(current_->has_swapped, true);
}

/// From here on the running thread's fiber stores its number, and started_ counts threads.
void Worker::keep_order_no_longer() {
  if (!threads_run_in_order) return;
  threads_run_in_order = false;
  current_->index = threadIdx;
  current_->thread = thread_number();
  started_ = current_->thread + 1;
  done_ = current_->thread;
  for (unsigned w = 0; w * 32 < done_; ++w) {
    const unsigned lanes = done_ - w * 32;
    warps_[w].done = lanes >= 32 ? ~0u : (1u << lanes) - 1;
  }
}

/// Called when the running thread has ended. Returns true if another one takes its place on the
/// same fiber.
bool Worker::next_thread() {
  if (threads_run_in_order) {
    const unsigned thread = thread_number() + 1;
    if (thread < launch_->threads) {
      started_ = thread;
      start_thread(*current_);
      return true;
    }
    if (!take_block()) return false;
    start_thread(*current_);
    return true;
  }
  ++done_;
  warps_[current_->thread / 32].done |= 1u << (current_->thread % 32);
  if (done_ == launch_->threads) {
    if (!take_block()) return false;
    start_thread(*current_);
    return true;
  }
  perform_complete(current_->thread / 32);  // an operation may have waited only for this lane
  if (started_ == launch_->threads && at_barrier_ > 0 && at_barrier_ == launch_->threads - done_)
    release_barrier();
  if (started_ < launch_->threads && ready_begin_ == ready_end_) {
    start_thread(*current_);
    return true;
  }
  return false;
}

void Worker::switch_to(Fiber& from, Fiber& to) {
  current_ = &to;
  if (&to != &root_) {
    threadIdx = to.index;
    if (check != nullptr) check->thread_runs(to);
  }
  opgrade_emulation_switch(&from.stack_pointer, to.stack_pointer);
}

/// Prefetches the next thread's registers from the second-level cache while this thread runs,
/// because the stacks of a block do not fit into the first-level cache.
Fiber* Worker::pop_ready() {
  if (ready_begin_ == ready_end_) return nullptr;
  Fiber* const fiber = ready_[ready_begin_++ % kQueue];
  if (ready_begin_ != ready_end_) {
    const Fiber* const next = ready_[ready_begin_ % kQueue];
    const char* const stack = static_cast<const char*>(next->stack_pointer);
    __builtin_prefetch(stack);
    __builtin_prefetch(stack + 64);
  }
  return fiber;
}

/// Suspends the running thread and lets another one run.
void Worker::suspend() {
  Fiber& self = *current_;
  Fiber* next = pop_ready();
  if (next == nullptr && started_ < launch_->threads) start_thread(*(next = fresh_fiber()));
  if (next == &self) {
    if (check != nullptr) check->thread_runs(self);
    return;
  }
  switch_to(self, next != nullptr ? *next : root_);
}

/// Gives up the fiber, which has no thread any more. Returns here when the fiber gets another
/// thread.
void Worker::leave_fiber() {
  Fiber& self = *current_;
  free_.push_back(&self);
  Fiber* next = block_active_ ? pop_ready() : nullptr;
  switch_to(self, next != nullptr ? *next : root_);
}

Fiber* Worker::fresh_fiber() {
  if (free_.empty()) {
    constexpr std::size_t kSlab = 16;
    // Mapped as shared, because private memory counts into a limit on data (RLIMIT_DATA) even if
    // unused. The stacks of 16 host threads with 1024 each are 8 GiB of addresses.
    void* slab = mmap(nullptr, kSlab * kStackBytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (slab == MAP_FAILED) stop_process("no memory for the stacks of the emulated threads");
    for (std::size_t i = 0; i < kSlab; ++i) {
      auto* fiber = new Fiber;
      fiber->stack = static_cast<char*>(slab) + i * kStackBytes;
      mprotect(fiber->stack, kGuardBytes, PROT_NONE);
      // Staggers the stacks, because stacks that begin at the same place in a page would compete
      // for the same cache sets.
      const std::size_t colour = fibers_.size() * 320 % 4096;
      fiber->top = fiber->stack + kStackBytes - colour;
      fiber->stack_pointer = prepare_stack(fiber->top, &fiber_main);
      fibers_.push_back(fiber);
    }
    for (std::size_t i = 0; i < kSlab; ++i) free_.push_back(fibers_[fibers_.size() - 1 - i]);
  }
  Fiber* fiber = free_.back();
  free_.pop_back();
  return fiber;
}

void Worker::barrier(int predicate, const void* site) {
  keep_order_no_longer();
  Fiber& self = *current_;
  self.site = site;
  fiber_of_[self.thread] = &self;
  waiting_[self.thread] = Waiting::block;
  if (at_barrier_ == 0) {
    arrived_in_order_ = arrived_at_one_ = true;
  } else {
    const Fiber& before = *arrived_[at_barrier_ - 1];
    arrived_in_order_ = arrived_in_order_ && before.thread < self.thread;
    arrived_at_one_ = arrived_at_one_ && before.site == site;
  }
  arrived_[at_barrier_] = &self;
  vote_count_ += predicate != 0;
  ++voters_;
  if (++at_barrier_ == launch_->threads - done_) release_barrier();  // all others wait or ended
  suspend();
}

void Worker::grid_barrier(const void* site) {
  keep_order_no_longer();
  Fiber& self = *current_;
  self.site = grid_site_ = site;
  fiber_of_[self.thread] = &self;
  waiting_[self.thread] = Waiting::grid;
  ++at_grid_;
  suspend();
}

/// Wakes all threads that wait in this way, in their order.
void Worker::wake_all(Waiting which) {
  for (unsigned i = 0; i < launch_->threads; ++i) {
    const unsigned t = variation().reversed ? launch_->threads - 1 - i : i;
    if (waiting_[t] != which) continue;
    waiting_[t] = Waiting::no;
    make_ready(fiber_of_[t]);
  }
}

/// Called when every remaining thread waits at a barrier: wakes all, in their order.
void Worker::release_barrier() {
  if (check != nullptr) check->barrier_diverged(*this);
  vote_result_ = vote_count_;
  voters_result_ = voters_;
  vote_count_ = voters_ = 0;
  if (arrived_in_order_ && !variation().reversed && ready_begin_ == ready_end_) {
    std::fill_n(waiting_, launch_->threads, Waiting::no);
    std::copy_n(arrived_, at_barrier_, ready_);
    ready_begin_ = 0;
    ready_end_ = at_barrier_;
  } else {
    wake_all(Waiting::block);
  }
  at_barrier_ = 0;
  if (check != nullptr) check->block_synchronized(*this);
}

int Worker::vote(Vote vote) const {
  if (vote == Vote::count) return vote_result_;
  return vote == Vote::any ? vote_result_ > 0 : vote_result_ == voters_result_;
}

void Worker::yield() {
  keep_order_no_longer();
  make_ready(current_);
  suspend();
}

/// Yields, because a thread may wait in a loop for what another one is about to exchange.
void Worker::yield_now_and_then() {
  constexpr unsigned kSeldom = 4096;
  if (++atomics_ % kSeldom == 0) yield();
}

void Worker::let_others_come_first(const void* address, std::size_t bytes, bool all_blocks) {
  keep_order_no_longer();
  Fiber& self = *current_;
  self.value = 0;
  std::memcpy(&self.value, address, bytes);
  make_ready(&self);
  if (started_ < launch_->threads) {
    Fiber* const next = fresh_fiber();
    start_thread(*next);
    switch_to(self, *next);
  } else {
    suspend();
  }
  if (all_blocks) launch_->meeting.wait();
}

/// Makes atomic operations on global memory happen in the order of the blocks.
void Worker::wait_for_earlier_blocks() {
  if (earliest_) return;
  for (const Worker* other : *all_) {
    if (other == this) continue;
    while (other->position_.load(std::memory_order_acquire) <= block_ + 1) {
      if (launch_->failed.load(std::memory_order_relaxed)) abandon_kernel();
      std::this_thread::yield();
    }
  }
  earliest_ = true;
}

void Worker::abandon_kernel() {
  launch_->failed.store(true, std::memory_order_relaxed);
  siglongjmp(escape_, 1);
}

void Worker::abandon_block() {
  block_active_ = false;
  free_.clear();
  for (Fiber* fiber : fibers_) {
    fiber->stack_pointer = prepare_stack(fiber->top, &fiber_main);
    free_.push_back(fiber);
  }
}

bool Worker::in_guard(const void* address) const {
  const char* a = static_cast<const char*>(address);
  for (const Fiber* fiber : fibers_) {
    if (a >= fiber->stack && a < fiber->stack + kGuardBytes) return true;
  }
  return false;
}

}  // namespace opgrade_emulation
