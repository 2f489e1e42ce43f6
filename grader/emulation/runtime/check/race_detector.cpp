// The uncommon accesses: first ones, ordered and unordered ones, and those that are mistakes.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "grader/emulation/runtime/check/orderly.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/symbols.hpp"

namespace opgrade_emulation {

BlockClock block_clock;
Cell launch_tag = 0;
Cell block_tag = 0;
bool fenced = false;
bool writes_race = false;
const char place_in_object = 0;

namespace {

const char* verb(Access access) {
  return access == Access::read    ? "reads"
         : access == Access::write ? "writes"
                                   : "changes by an atomic operation";
}

SourceLine place_at(std::uint32_t site) {
  return site == 0 ? SourceLine() : source_line(&place_in_object + static_cast<std::int32_t>(site));
}

bool in_same_line(const SourceLine& one, const SourceLine& other) {
  return one.line == other.line && one.file == other.file;
}

std::string line_of(std::uint32_t site, const void* here) {
  const SourceLine place = place_at(site);
  if (place.line == 0) return "";
  return in_same_line(place, source_line(here)) ? " in the same line"
                                                : " in line " + std::to_string(place.line);
}

/// Between a read and a write. A barrier may stand between their lines, and the one that ends a
/// loop's round be missing.
std::string barrier_advice(std::uint32_t earlier_site, const void* here) {
  const SourceLine earlier = place_at(earlier_site), now = source_line(here);
  if (earlier.line == 0 || earlier.file != now.file) return "";
  if (in_same_line(earlier, now))
    return " If threads update one element, use atomicAdd. If a thread reads a neighbour's, wait "
           "at "
           "a __syncthreads() in each round of the loop, or between the read and the write.";
  return " Add one between these lines. If one is there already, the two are in different rounds "
         "of "
         "a loop: add one at the end of the round.";
}

bool is_shared(std::uintptr_t address) {
  return is_shared_memory(reinterpret_cast<const void*>(address));
}

/// A plain read of what others change by atomic operations is how a loop around atomicCAS begins,
/// and right there. It is held back until the thread's next atomic operation, or the end of its
/// block.
struct HeldBack {
  std::uintptr_t address;
  Finding finding;
  uint3 block, thread;
};
HeldBack held_back[kMaxThreads];
bool any_held_back = false;

void hold_back(std::uintptr_t address, Finding finding) {
  HeldBack& slot = held_back[self.read & kThreadMask];
  if (slot.address != 0) return;
  slot = {address, std::move(finding), blockIdx, threadIdx};
  any_held_back = true;
}

/// The running thread's access to a cell that is not ordered after earlier accesses.
std::string text_of_race(std::uintptr_t address, Cell cell, std::uint32_t site, Access access,
                         bool other_block, const void* here) {
  const bool by_write = (cell & kLastWrites) != 0;
  std::string what = is_shared(address) ? "a __shared__ variable" : "global memory";
  const std::string earlier = std::string(
      by_write ? (cell & kAtomic) != 0 ? "changed by an atomic operation" : "wrote" : "read");
  std::string text = std::string("The thread ") + verb(access) + " " + what + " that ";
  if (other_block) {
    text +=
        std::string("another block ") + ((cell & kWritten) != 0 ? "wrote" : "read") +
        line_of(site, here) +
        "; blocks of one launch run in any order. Use an atomic operation such as atomicAdd, or "
        "a second launch.";
  } else if ((cell & (kManyWarps | kSameWarp)) != 0) {
    text += "other threads of the block, " + thread_text(cell) + " among them, read" +
            line_of(site, here) + ", and no __syncthreads() orders the two.";
  } else {
    text += thread_text(cell) + " of the same block " + earlier + line_of(site, here) +
            ", and no __syncthreads() orders the two.";
  }
  if (!other_block && (access == Access::read) == by_write && access != Access::atomic)
    text += barrier_advice(site, here);
  return text;
}

/// A write without order, before it happens: what it comes to shows when another thread runs.
struct RacingWrite {
  std::uintptr_t address;
  unsigned bytes;
  std::uint32_t before, site;
  Cell cell;
  bool other_block;
  const void *here, *caller;
  uint3 block, thread;
};
std::vector<RacingWrite> racing_writes;  ///< writes_race where there are any

std::uint32_t content(std::uintptr_t address, unsigned bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), bytes);
  return value;
}

void report_race(std::uintptr_t address, unsigned bytes, Cell cell, std::uint32_t site,
                 Access access, bool other_block, const void* here) {
  // A write over what others have read is a mistake whatever it writes: the values are this run's.
  const bool over_write = (cell & kLastWrites) != 0 || (other_block && (cell & kWritten) != 0);
  if (access == Access::write && over_write && (cell & kAtomic) == 0) {
    constexpr std::size_t kMostKept = 1 << 20;
    if (racing_writes.size() == kMostKept) settle_racing_writes();
    racing_writes.push_back({address, bytes, content(address, bytes), site, cell, other_block, here,
                             caller_of(here), blockIdx, threadIdx});
    writes_race = true;
    return;
  }
  if (count_again("data_race", here)) return;
  const std::string text = text_of_race(address, cell, site, access, other_block, here);
  if (access == Access::read && (cell & kAtomic) != 0) {
    return hold_back(address, {.kind = "data_race",
                               .message = text,
                               .site = here,
                               .caller = caller_of(here),
                               .in_kernel = true});
  }
  report_access("data_race", address, 4, access, here, text);
}

/// Of a thread that ran before.
void report_of(const uint3& block, const uint3& thread, Finding finding) {
  const uint3 now_block = std::exchange(blockIdx, block);
  const uint3 now_thread = std::exchange(threadIdx, thread);
  report(std::move(finding));
  blockIdx = now_block;
  threadIdx = now_thread;
}

/// Bytes of the load or store that check_slowly() checks cell by cell; 0 outside of it.
__thread unsigned whole_access OPGRADE_TLS;

/// For messages: of the whole load or store, of which `bytes` are in the cell.
unsigned accessed(unsigned bytes) { return whole_access > 0 ? whole_access : bytes; }

/// The new cell after an access to one whose state is `cell`; reports what is wrong with it.
Cell judge(Cell cell, std::uintptr_t address, unsigned bytes, Access access, std::uint32_t site,
           const void* here) {
  const bool writes = access != Access::read;
  if (access == Access::atomic && any_held_back) {
    HeldBack& slot = held_back[self.read & kThreadMask];
    if (slot.address - address < 4 || address - slot.address < 4) slot.address = 0;
  }
  const Cell fresh = fresh_cell(access);
  const bool shared = is_shared(address);
  const bool of_this_launch = (cell & kLaunchMask) == launch_tag;

  if (shared && !of_this_block(cell)) {  // an earlier block's value does not count
    if (!in_shared_variable(address)) {
      report_access("out_of_bounds", address, accessed(bytes), access, here, "");
      return kClosed;
    }
    if (access != Access::write)
      report_access("unset_shared_read", address, accessed(bytes), access, here,
                    "The thread reads a __shared__ variable before any thread of the block has "
                    "written there.",
                    "warning");
    return fresh | kWritten;
  }
  if (cell == kClosed) {
    report_access("out_of_bounds", address, accessed(bytes), access, here, "");
    return kClosed;
  }
  if (cell == kUnwritten && access != Access::write)
    report_access("uninitialized_read", address, accessed(bytes), access, here,
                  "The thread reads device memory that nothing has written, neither a kernel, nor "
                  "cudaMemcpy, nor cudaMemset: ");
  if (!of_this_launch) return fresh;

  if (!of_this_block(cell)) {
    const bool both_atomic = access == Access::atomic && (cell & kAtomic) != 0;
    const bool only_read = !writes && (cell & kWritten) == 0;
    if (only_read) return self.many;
    if (!both_atomic && !fenced) report_race(address, bytes, cell, site, access, true, here);
    return fresh;
  }
  if (const Cell next = after_own_block(cell, access); next != kClosed) return next;
  report_race(address, bytes, cell, site, access, false, here);
  return writes ? fresh : cell;
}

void judge_bytes(std::uintptr_t address, unsigned bytes, Access access, const void* site) {
  shadow.use(address);
  Cell& word = shadow.word(address);
  std::uint32_t& where = shadow.site(address);
  if (bytes == 4 && word != kSplit) return judge_cell(word, where, address, 4, access, site);
  if (word != kSplit) {
    for (int i = 0; i < 4; ++i) shadow.byte(address & ~std::uintptr_t{3})[i] = word;
    word = kSplit;
  }
  for (unsigned i = 0; i < bytes; ++i)
    judge_cell(*shadow.byte(address + i), where, address + i, 1, access, site);
  if (bytes == 4 && access == Access::write) word = *shadow.byte(address);
}

}  // namespace

std::string thread_text(Cell cell) {
  const unsigned thread = static_cast<unsigned>(cell & kThreadMask);
  const dim3& block = current_worker->launch()->block;
  return "thread (" + std::to_string(thread % block.x) + "," +
         std::to_string(thread / block.x % block.y) + "," +
         std::to_string(thread / block.x / block.y) + ")";
}

void judge_cell(Cell& cell, std::uint32_t& where, std::uintptr_t address, unsigned bytes,
                Access access, const void* site) {
  const Cell next = judge(cell, address, bytes, access, where, site);
  if (next == cell) return;
  cell = next;
  where = short_site(site);
}

void settle_racing_writes() {
  for (const RacingWrite& write : racing_writes) {
    const bool changed = content(write.address, write.bytes) != write.before;
    const char* const kind = changed ? "data_race" : "same_value_written";
    if (count_again(kind, write.here)) continue;
    std::string text = text_of_race(write.address, write.cell, write.site, Access::write,
                                    write.other_block, write.here);
    if (!changed) text += " It writes the value that is there: nothing changes.";
    report_of(write.block, write.thread,
              {.kind = kind,
               .severity = changed ? "error" : "warning",
               .message = std::move(text),
               .site = write.here,
               .caller = write.caller,
               .in_kernel = true});
  }
  racing_writes.clear();
  writes_race = false;
}

void report_held_back() {
  if (!any_held_back) return;
  any_held_back = false;
  for (HeldBack& slot : held_back) {
    if (slot.address == 0) continue;
    slot.address = 0;
    report_of(slot.block, slot.thread, std::move(slot.finding));
  }
}

void report_access(const char* kind, std::uintptr_t address, unsigned bytes, Access access,
                   const void* site, const std::string& what, const char* severity) {
  if (count_again(kind, site)) return;
  Finding finding{
      .kind = kind, .severity = severity, .message = what, .site = site, .in_kernel = true};
  const void* const pointer = reinterpret_cast<const void*>(address);
  if (what.ends_with(": ")) {
    const char* same = kind;
    finding.message += describe_address(pointer, same);
  } else if (what.empty()) {
    if (is_shared(address)) {
      finding.message = std::string("The thread ") + verb(access) +
                        " shared memory outside of every __shared__ variable.";
    } else {
      finding.message = std::string("The thread ") + verb(access) + " " + std::to_string(bytes) +
                        (bytes == 1 ? " byte" : " bytes") +
                        " outside of its memory: " + describe_address(pointer, finding.kind, bytes);
    }
  }
  report(std::move(finding));
}

void check_slowly(std::uintptr_t address, unsigned bytes, Access access, const void* site) {
  if (!in_kernel) {
    Allocation a;
    const bool found = find_allocation(reinterpret_cast<const void*>(address), a);
    if (found && a.kind != MemoryKind::device && !a.freed) return;
    return report(
        {.kind = "device_pointer_on_host",
         .message =
             std::string("The host ") + verb(access) +
             " device memory; on a GPU this ends the program. Copy it with cudaMemcpy first.",
         .site = site});
  }
  whole_access = bytes;
  while (bytes > 0) {
    const unsigned to_next = 4 - static_cast<unsigned>(address % 4);
    const unsigned part = bytes < to_next ? bytes : to_next;
    judge_bytes(address, part, access, site);
    address += part;
    bytes -= part;
  }
  whole_access = 0;
}

}  // namespace opgrade_emulation
