// The checks at launches, barriers, allocations and copies.
#include "grader/emulation/runtime/hooks.hpp"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grader/emulation/runtime/check/blocks_outside.hpp"
#include "grader/emulation/runtime/check/context.hpp"
#include "grader/emulation/runtime/check/fences.hpp"
#include "grader/emulation/runtime/check/mixed_accesses.hpp"
#include "grader/emulation/runtime/check/race_text.hpp"
#include "grader/emulation/runtime/check/vtables.hpp"
#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "opgrade_emulation/atomics.hpp"

namespace opgrade_emulation {
namespace {

std::vector<std::pair<long, std::size_t>>& slots() {
  static auto* all = new std::vector<std::pair<long, std::size_t>>;
  return *all;
}

/// The __shared__ variables that each kernel has used so far.
std::map<const Kernel*, std::vector<std::pair<long, std::size_t>>>& slots_of_kernels() {
  static auto* all = new std::map<const Kernel*, std::vector<std::pair<long, std::size_t>>>;
  return *all;
}

/// A block finds arbitrary content in shared memory, so no output may depend on it. The content
/// alternates between NaN and a very large number of either sign.
int left_in_shared_memory(const Worker& worker) {
  constexpr int kBytes[] = {0xff, 0x7f, 0xfe};
  return kBytes[worker.block_number() % 3];
}

void fill_shared_memory(const Worker& worker) {
  const int left = left_in_shared_memory(worker);
  for (const auto& [offset, bytes] : slots_of_kernels()[running_kernel])
    std::memset(worker.shared() + offset, left, bytes);
  std::memset(worker.dynamic_shared(), left, worker.launch()->shared);
}

void prepare() {
  if (shadow.begin != 0) return;
  const DeviceRange& range = device_range();
  // Mapped as shared, because private memory counts into a limit on data (RLIMIT_DATA) even if
  // unused.
  if (mmap(range.beside, range.bytes * kBesideEachByte, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    stop_process("no memory to check accesses with");
  void* const pages = mmap(nullptr, range.bytes / kPage + 1, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) stop_process("no memory to check accesses with");
  shadow.pages = static_cast<unsigned char*>(pages);
  shadow.split = reinterpret_cast<Cell*>(range.beside);
  shadow.words = shadow.split + range.bytes;
  shadow.sites = reinterpret_cast<std::uint32_t*>(shadow.words + range.bytes / 4);
  shadow.bytes = range.bytes;
  shadow.shared_bytes = range.shared_end - range.begin;
  shadow.begin = range.begin;
}

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

void refresh(const Fiber& fiber) {
  const unsigned warp = fiber.thread / 32;
  const Cell epoch = Cell{block_clock.epoch[warp]} << kEpochAt & kEpochMask;
  const Cell several = block_tag | epoch, own = several | fences.field_of(fiber.thread);
  self.write = own | fiber.thread | kWritten | kLastWrites;
  self.read = own | fiber.thread | kWritten;
  self.warp_read = several | warp * 32 | kWritten | kSameWarp;
  self.block_read =
      block_tag | (Cell{block_clock.barrier[0]} << kEpochAt & kEpochMask) | kWritten | kManyWarps;
  self.stack = number(fiber.stack);
}

/// Launch numbers have few bits. Before a number is reused, no cell may hold it.
void forget_launches() {
  auto forget = [](std::uintptr_t begin, std::size_t bytes, Cell state) {
    for (std::size_t i = 0; i < bytes; i += 4) {
      if (shadow.page(begin + i) != kInUse) {
        i += kPage - (begin + i - shadow.begin) % kPage - 4;
        continue;
      }
      Cell& word = shadow.word(begin + i);
      if (word == kSplit) {
        for (int k = 0; k < 4; ++k) {
          if (shadow.byte(begin + i)[k] > kSplit) shadow.byte(begin + i)[k] = state;
        }
      } else if (word > kSplit) {
        word = state;
      }
    }
  };
  each_allocation([&](const Allocation& a) { forget(a.address, a.bytes, kClean); });
  each_worker([&](const Worker& w) { forget(number(w.shared()), kSharedRoom, kClosed); });
  forget_symbol_launches();
}

Cell launches = 0;

void launch_begins() {
  prepare();
  if (++launches >> kLaunchBits != 0) {
    launches = 1;
    forget_launches();
  }
  launch_tag = launches << kLaunchAt;
  fences.begin_launch();
  mixed_accesses.begin_launch();
  blocks_outside.begin_launch();
}

/// Reserves half of the numbers for the launch's grid.sync()s, each of which takes a number.
void cooperative_launch_begins() {
  prepare();
  if (launches >> (kLaunchBits - 1) == 0) return;
  launches = 0;
  forget_launches();
}

Cell block_tag_of(const Worker& worker, Cell launch) {
  return launch << kLaunchAt | (Cell{worker.block_number()} << kBlockAt & kBlockMask);
}

void kernel_code_begins(const Worker& worker) {
  in_kernel = true;
  self = {};
  self.many = launch_tag | kManyBlocks;
  self.builtin = number(&threadIdx) - kBuiltinBytes / 2;
  self.parameters = number(worker.launch()->body);
  self.parameter_bytes = worker.launch()->body_bytes;
  block_tag = block_tag_of(worker, launches);
  block_clock = {};
  fences.begin_block();
  blocks_outside.begin_block();
}

void launch_ends() {
  settle_racing_writes();
  mixed_accesses.report_reads();
  blocks_outside.end_launch();
  in_kernel = false;
  self = {};
}

void block_begins(Worker& worker) {
  settle_racing_writes();
  fill_shared_memory(worker);
  kernel_code_begins(worker);
}

/// The block's shared memory keeps its content, so its cells get this launch's number, as of before
/// a barrier.
void block_goes_on(Worker& worker) {
  settle_racing_writes();
  const Cell before = block_tag_of(worker, launches - 1);
  kernel_code_begins(worker);
  const auto renew = [&](Cell& cell) {
    if (cell > kSplit && (cell & kWhere) == before && (cell & kWritten) != 0)
      cell = block_tag | kWritten;
  };
  const auto renew_all = [&](const char* begin, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 4) {
      Cell& word = shadow.word(number(begin) + i);
      if (word == kSplit) {
        for (int k = 0; k < 4; ++k) renew(shadow.byte(number(begin) + i)[k]);
      } else {
        renew(word);
      }
    }
  };
  for (const auto& [offset, bytes] : slots()) renew_all(worker.shared() + offset, bytes);
  renew_all(worker.dynamic_shared(), worker.launch()->shared);
  for (unsigned w = 0; w * 32 < worker.threads(); ++w)
    block_clock.barrier[w] = ++block_clock.epoch[w];
}

void thread_runs(const Fiber& fiber) {
  if (writes_race) settle_racing_writes();
  refresh(fiber);
}

void warp_synchronized(Worker& worker, unsigned warp) {
  ++block_clock.epoch[warp];
  fences.warp_barrier(warp);
  refresh(worker.current());
}

void block_synchronized(Worker& worker) {
  for (unsigned w = 0; w * 32 < worker.threads(); ++w)
    block_clock.barrier[w] = ++block_clock.epoch[w];
  fences.block_barrier(worker.threads());
  refresh(worker.current());
}

/// Called when all remaining threads wait at a barrier. Reports different barriers as an error.
/// Ended threads are only a note, because hardware counts them as arrived.
void barrier_diverged(Worker& worker) {
  if (worker.all_at_one_barrier()) return;
  const Fiber* first = nullptr;
  const Fiber* other = nullptr;
  unsigned ended = kMaxThreads;
  for (unsigned t = 0; t < worker.threads(); ++t) {
    const Fiber* const fiber = worker.waiting_fiber(t);
    if (worker.waiting(t) != Waiting::block) {
      if (ended == kMaxThreads) ended = t;
    } else if (first == nullptr) {
      first = fiber;
    } else if (other == nullptr && fiber->site != first->site &&
               source_line(fiber->site).line != source_line(first->site).line) {
      other = fiber;
    }
  }
  if (first == nullptr || (ended == kMaxThreads && other == nullptr)) return;
  Finding finding{.kind = "barrier_divergence", .site = first->site, .in_kernel = true};
  if (other != nullptr) {
    finding.message =
        "Not all threads of the block reach this __syncthreads(): " + thread_text(other->thread) +
        " waits at the one in " +
        line_in_words(source_line(other->site), source_line(first->site)) + ".";
  } else {
    finding.kind = "exited_before_barrier";
    finding.severity = "warning";
    finding.message =
        "Not all threads of the block reach this __syncthreads(): " + thread_text(ended) +
        " has left the kernel without it. GPUs count it as arrived; CUDA does not promise that.";
  }
  report(std::move(finding));
}

void warp_diverged(const Fiber& fiber) {
  report({.kind = "warp_divergence",
          .message = (fiber.mask >> (fiber.thread % 32) & 1u) == 0
                         ? "The mask of this warp operation lacks the lane that calls it."
                     : fiber.operation == WarpOperation::shuffle
                         ? "The shuffle asks for the value of a lane that does not take part in it."
                         : "The mask of this warp operation names lanes that do not take part in "
                           "it.",
          .site = fiber.site,
          .in_kernel = true});
}

void allocated(const void* address, std::size_t bytes, MemoryKind kind) {
  prepare();
  // Only device memory counts as unwritten, because host code may fill pinned and managed memory
  // without being watched.
  mark(shadow, number(address), bytes, kind == MemoryKind::device ? kUnwritten : kClean);
}

void freed(const void* address, std::size_t bytes) {
  mark(shadow, number(address), bytes, kClosed);
  forget_objects(address, bytes);
}
void written(const void* address, std::size_t bytes) {
  mark(shadow, number(address), bytes, kClean);
  forget_objects(address, bytes);
}
void unwritten(const void* address, std::size_t bytes) {
  mark(shadow, number(address), bytes, kUnwritten);
}

std::size_t first_unwritten(const void* address, std::size_t bytes) {
  const std::uintptr_t begin = number(address);
  for (std::size_t i = 0; i < bytes;) {
    if (const unsigned char page = shadow.page(begin + i); page != kInUse) {
      if (page == kUnwritten) return i;
      i += kPage - (begin + i - shadow.begin) % kPage;
      continue;
    }
    const Cell word = shadow.word(begin + i);
    if (word == kUnwritten || (word == kSplit && *shadow.byte(begin + i) == kUnwritten)) return i;
    i += word == kSplit ? 1 : 4 - (begin + i) % 4;
  }
  return bytes;
}

void shared_slot_placed(long offset, std::size_t bytes) { slots().emplace_back(offset, bytes); }

void shared_slot_used(long offset, std::size_t bytes) {
  slots_of_kernels()[running_kernel].emplace_back(offset, bytes);
  std::memset(current_worker->shared() + offset, left_in_shared_memory(*current_worker), bytes);
}

Access access_of(unsigned traits) {
  if ((traits & kAtomicOfBlock) != 0)
    return (traits & kAtomicAttempt) != 0 ? Access::attempt_of_block : Access::update_of_block;
  return (traits & kAtomicAttempt) != 0 ? Access::attempt : Access::update;
}

void atomic(const void* address, std::size_t bytes, unsigned traits, const void* site) {
  const std::uintptr_t a = number(address);
  const Access access = access_of(traits);
  if (a - shadow.begin < shadow.bytes)
    check_slowly(a, static_cast<unsigned>(bytes), access, site);
  else
    check_elsewhere(a, static_cast<unsigned>(bytes), access, site);
}

void fence() {
  fences.fence();
  refresh(current_worker->current());
}

}  // namespace

bool in_shared_variable(std::uintptr_t address) {
  const auto offset = static_cast<long>(address - number(current_worker->shared()));
  const auto dynamic = static_cast<long>(address - number(current_worker->dynamic_shared()));
  if (dynamic >= 0 && dynamic < static_cast<long>(current_worker->launch()->shared)) return true;
  for (const auto& [begin, bytes] : slots()) {
    if (offset >= begin && offset < begin + static_cast<long>(bytes)) return true;
  }
  return false;
}

const CheckHooks the_checks{&cooperative_launch_begins,
                            &launch_begins,
                            &launch_ends,
                            &block_begins,
                            &block_goes_on,
                            &thread_runs,
                            &warp_synchronized,
                            &block_synchronized,
                            &barrier_diverged,
                            &warp_diverged,
                            &allocated,
                            &freed,
                            &written,
                            &unwritten,
                            &first_unwritten,
                            [] { blocks_outside.find_swapped_dimensions(); },
                            &shared_slot_placed,
                            &shared_slot_used,
                            &atomic,
                            &fence,
                            &remember_host_objects,
                            &copied_to_host,
                            &forget_objects};

}  // namespace opgrade_emulation
