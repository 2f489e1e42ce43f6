// The uncommon accesses: first ones, ordered and unordered ones, and mistakes.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "grader/emulation/runtime/check/blocks_outside.hpp"
#include "grader/emulation/runtime/check/fences.hpp"
#include "grader/emulation/runtime/check/mixed_accesses.hpp"
#include "grader/emulation/runtime/check/orderly.hpp"
#include "grader/emulation/runtime/check/race_text.hpp"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/source_lines.hpp"
#include "grader/emulation/runtime/symbols.hpp"

namespace opgrade_emulation {

BlockClock block_clock;
Cell launch_tag = 0;
Cell block_tag = 0;
bool writes_race = false;

namespace {

/// An unordered write, recorded before it happens: whether it changes the value shows only when
/// another thread runs.
struct RacingWrite {
  std::uintptr_t address;
  unsigned bytes;
  std::uint32_t before, site;
  Cell cell;
  bool other_block;
  const void *here, *caller;
  uint3 block, thread;
};
std::vector<RacingWrite> racing_writes;  ///< not empty if writes_race

std::uint32_t content(std::uintptr_t address, unsigned bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), bytes);
  return value;
}

void report_race(std::uintptr_t address, unsigned bytes, Cell cell, std::uint32_t site,
                 Access access, bool other_block, const void* here) {
  // A write over what others have read is a mistake even if the value stays, because values depend
  // on the run.
  const bool over_write = (cell & kLastWrites) != 0 || (other_block && (cell & kWritten) != 0);
  if (access == Access::write && over_write) {
    constexpr std::size_t kMostKept = 1 << 20;
    if (racing_writes.size() == kMostKept) settle_racing_writes();
    racing_writes.push_back({address, bytes, content(address, bytes), site, cell, other_block, here,
                             caller_of(here), blockIdx, threadIdx});
    writes_race = true;
    return;
  }
  if (count_again("data_race", here)) return;
  report_access("data_race", address, 4, access, here,
                text_of_race(address, cell, site, access, other_block, here));
}

/// Bytes of the load or store that check_slowly() checks cell by cell; 0 if it checks none.
__thread unsigned whole_access OPGRADE_TLS;

/// The size for messages: that of the whole load or store, of which `bytes` are in the cell.
unsigned accessed(unsigned bytes) { return whole_access > 0 ? whole_access : bytes; }

/// Returns the new cell after an access to a cell with state `cell`; reports mistakes.
Cell judge(Cell cell, std::uintptr_t address, unsigned bytes, Access access, std::uint32_t site,
           const void* here) {
  const bool writes = !is_read(access);
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
    blocks_outside.add_outside(writes);
    report_access("out_of_bounds", address, accessed(bytes), access, here, "");
    return kClosed;
  }
  if (writes && !shared && current_worker->thread_number() == 0) blocks_outside.add_inside_write();
  if (cell == kUnwritten && access != Access::write)
    report_access("uninitialized_read", address, accessed(bytes), access, here,
                  "The thread reads device memory that nothing has written, neither a kernel, nor "
                  "cudaMemcpy, nor cudaMemset: ");
  if (!of_this_launch) return fresh;
  if (is_atomic(access) || (cell & kAtomic) != 0)
    return mixed_accesses.judge(cell, address, bytes, access, site, here);

  const bool other_block = !of_this_block(cell);
  if (other_block) {
    if (!writes && (cell & kWritten) == 0) return self.many;
  } else if (const Cell next = after_own_block(cell, access); next != kClosed) {
    return next;
  }
  if (fences.order(cell, address, access)) {
    if (!writes) fences.acquire(address);
    return other_block || writes ? fresh : fresh | (cell & kWritten);
  }
  report_race(address, bytes, cell, site, access, other_block, here);
  return other_block || writes ? fresh : cell;
}

void judge_bytes(std::uintptr_t address, unsigned bytes, Access access, const void* site) {
  shadow.use(address);
  Cell& word = shadow.word(address);
  std::uint32_t& where = shadow.site(address);
  if (bytes == 4 && word != kSplit) return judge_cell(word, where, address, 4, access, site);
  if (word != kSplit) {
    for (int i = 0; i < 4; ++i) shadow.byte(address & ~std::uintptr_t{3})[i] = word;
    mixed_accesses.split(address & ~std::uintptr_t{3});
    word = kSplit;
  }
  const std::uint32_t earlier = where;
  for (unsigned i = 0; i < bytes; ++i) {
    std::uint32_t of_byte = earlier;
    judge_cell(*shadow.byte(address + i), of_byte, address + i, 1, access, site);
    if (of_byte != earlier) where = of_byte;
  }
  if (bytes == 4 && access == Access::write) word = *shadow.byte(address);
}

}  // namespace

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
