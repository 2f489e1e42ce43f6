// Cooperative launches: every block has a worker of its own, and they take turns on one host
// thread.
#include <numeric>
#include <string>
#include <vector>

#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "grader/emulation/runtime/worker.hpp"

namespace opgrade_emulation {
namespace {

// Each waiting thread has its own stack, and each stack is two areas in the kernel's list of
// mappings (one is its guard). A process may have 65530 areas. Each block has its own shared
// memory.
constexpr std::uint64_t kMostThreads = 16384;
constexpr std::uint64_t kMostBlocks = 448;

/// Workers are kept, because a program launches the same kernel repeatedly. Their stacks belong to
/// this host thread.
std::vector<Worker*>& workers() {
  // Never destroyed, because exit() destroys a thread's variables before it calls handlers that may
  // wait for work.
  thread_local auto* const all = new std::vector<Worker*>;
  return *all;
}
Worker& worker_of(std::size_t number) {
  auto& all = workers();
  while (all.size() <= number) all.push_back(new Worker);
  return *all[number];
}

/// Reports that some blocks wait at a grid.sync() which others ended without: a GPU would wait
/// forever.
void report_missing_block(const Worker& waiting, std::uint64_t ended) {
  report({.kind = "barrier_divergence",
          .message = "Not all blocks of the grid reach this grid.sync(): block number " +
                     std::to_string(ended) +
                     " has left the kernel without it, and a GPU waits for it forever.",
          .site = waiting.grid_site()});
  set_sticky_error(cudaErrorLaunchTimeout);
}

}  // namespace

bool Worker::run_block(Launch& launch, std::uint64_t block, bool from_begin) {
  static const std::vector<Worker*> alone;  // no other host thread has an earlier block
  enter(launch);
  all_ = &alone;
  catch_faults();
  if (sigsetjmp(escape_, 0) != 0) {
    abandon_block();
  } else if (from_begin) {
    begin_block(block);
    Fiber* first = fresh_fiber();
    start_thread(*first);
    switch_to(root_, *first);
  } else {
    go_on_from_grid_barrier();
  }
  schedule();
  if (check != nullptr) check->launch_ends();
  leave();
  return block_active_;
}

void Worker::go_on_from_grid_barrier() {
  set_block_index();
  threads_run_in_order = false;
  at_grid_ = 0;
  wake_all(Waiting::grid);
  if (check != nullptr) check->block_goes_on(*this);
}

void execute_cooperatively(Launch& launch) {
  std::vector<std::uint64_t> blocks(launch.blocks), waiting, ended;
  std::iota(blocks.begin(), blocks.end(), 0);
  if (check != nullptr) check->cooperative_launch_begins();
  for (bool from_begin = true; !blocks.empty() && !launch.failed; from_begin = false) {
    // Like a new launch, a grid.sync() orders all accesses before it.
    if (check != nullptr) check->launch_begins();
    for (std::size_t i = 0; i < blocks.size() && !launch.failed; ++i) {
      // Until a block waits, the first worker runs all blocks, one after the other.
      Worker& worker = worker_of(from_begin ? waiting.size() : i);
      (worker.run_block(launch, blocks[i], from_begin) ? waiting : ended).push_back(blocks[i]);
    }
    if (!waiting.empty() && !ended.empty() && !launch.failed) {
      report_missing_block(worker_of(0), ended.front());
      launch.failed = true;
    }
    blocks = std::move(waiting);
    waiting.clear();
  }
  if (!launch.failed) return;
  for (Worker* worker : workers()) worker->give_up_block();
}

void synchronize_grid() {
  if (current_worker == nullptr) return;
  const void* const site = __builtin_return_address(0);
  const Launch& launch = *current_worker->launch();
  if (launch.blocks == 1) return current_worker->barrier(0, site);
  if (!launch.cooperative)
    stop_kernel("invalid_grid_sync",
                "grid.sync() of several blocks needs a launch by cudaLaunchCooperativeKernel.",
                cudaErrorLaunchFailure, site);
  if (launch.blocks > kMostBlocks || launch.blocks * launch.threads > kMostThreads)
    stop_kernel("not_emulated",
                "The emulated device lacks grid.sync() over more than " +
                    std::to_string(kMostBlocks) + " blocks or " + std::to_string(kMostThreads) +
                    " threads.",
                cudaErrorNotSupported, site);
  current_worker->grid_barrier(site);
}

}  // namespace opgrade_emulation
