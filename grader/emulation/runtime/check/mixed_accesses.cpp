#include "grader/emulation/runtime/check/mixed_accesses.hpp"

#include "grader/emulation/runtime/check/fences.hpp"
#include "grader/emulation/runtime/check/orderly.hpp"
#include "grader/emulation/runtime/check/race_text.hpp"
#include "grader/emulation/runtime/source_lines.hpp"

namespace opgrade_emulation {
namespace {

constexpr Cell kSeveral = kSameWarp | kManyWarps | kManyBlocks;

unsigned running_thread() { return static_cast<unsigned>(self.read & kThreadMask); }

bool of_running_thread(Cell cell) {
  return of_this_block(cell) && (cell & (kSeveral | kThreadMask)) == running_thread();
}

/// True if neither a barrier, nor fences, nor the thread's own order puts `earlier` first.
bool races(Cell earlier, std::uintptr_t address, Access now) {
  if (of_running_thread(earlier) || (of_this_block(earlier) && ordered(earlier))) return false;
  return !fences.order(earlier, address, now);
}

/// The cell after one more atomic operation. Like a cell of several readers, it names all
/// participants.
Cell joined(Cell cell, Cell fresh) {
  if (!of_this_block(cell))
    return self.many | kWritten | kLastWrites | kAtomic | (cell & kOfBlock) | (fresh & kOfBlock);
  if (of_running_thread(cell) || ordered(cell)) return fresh;
  const bool same_warp = (cell & kThreadMask) / 32 == running_thread() / 32;
  const Cell all = same_warp && (cell & kManyWarps) == 0 ? self.warp_read : self.block_read;
  return all | kLastWrites | kAtomic | ((cell | fresh) & kOfBlock);
}

uint3 block_of(Cell cell) {
  const dim3& grid = current_worker->launch()->grid;
  const std::uint64_t block = (cell & kBlockMask) >> kBlockAt;
  return {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(block / grid.x % grid.y),
          static_cast<unsigned>(block / grid.x / grid.y)};
}
uint3 thread_of(Cell cell) {
  const dim3& block = current_worker->launch()->block;
  const auto thread = static_cast<unsigned>(cell & kThreadMask);
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

const void* code_at(std::uint32_t site) {
  return &place_in_object + static_cast<std::int32_t>(site);
}

}  // namespace

MixedAccesses mixed_accesses;

const MixedAccesses::Plain* MixedAccesses::find(std::uintptr_t address) const {
  if (plain_.empty()) return nullptr;
  const auto found = plain_.find(address);
  if (found == plain_.end()) return nullptr;
  // Each block has its own shared memory at the same address.
  const bool counts = (found->second.cell & kLaunchMask) == launch_tag &&
                      (!is_shared(address) || of_this_block(found->second.cell));
  return counts ? &found->second : nullptr;
}

void MixedAccesses::split(std::uintptr_t word) {
  const Plain* const plain = find(word);
  if (plain == nullptr) return;
  const Plain copy = *plain;
  for (unsigned i = 1; i < 4; ++i) plain_[word + i] = copy;
}

Cell MixedAccesses::judge(Cell cell, std::uintptr_t address, unsigned bytes, Access access,
                          std::uint32_t site, const void* here) {
  return is_atomic(access) ? judge_atomic(cell, address, access, site, here)
                           : judge_plain(cell, address, bytes, access, site, here);
}

Cell MixedAccesses::judge_atomic(Cell cell, std::uintptr_t address, Access access,
                                 std::uint32_t site, const void* here) {
  const Cell fresh = fresh_cell(access);
  if ((cell & kAtomic) != 0) {
    const Plain* const before = find(address);
    if (is_attempt(access)) attempt(address, before);
    if (before != nullptr) judge_earlier(*before, address, access, here);
    if (!of_this_block(cell) && ((cell | fresh) & kOfBlock) != 0 && !count_again("data_race", here))
      report_access("data_race", address, 4, access, here,
                    text_of_race(address, cell, site, access, true, here));
    fences.acquire(address);
    return joined(cell, fresh);
  }
  const Plain before{cell, site};
  if (is_attempt(access)) attempt(address, &before);
  judge_earlier(before, address, access, here);
  fences.acquire(address);
  // The plain access can be forgotten: no other block uses this shared memory, and a barrier orders
  // the access before all that the block does from now on.
  const bool over = is_shared(address) && of_this_block(cell) && before_barrier(cell);
  if (!over) plain_[address] = before;
  return fresh;
}

/// Judges a plain access before an atomic operation. The finding has the line of the plain access,
/// because that is what the student must change.
void MixedAccesses::judge_earlier(const Plain& plain, std::uintptr_t address, Access access,
                                  const void* here) {
  if (!races(plain.cell, address, access)) return;
  const bool writes = (plain.cell & kLastWrites) != 0;
  const bool other_block = !of_this_block(plain.cell);
  const SourceLine place = place_at(plain.site);
  const bool known = place.line != 0;
  const void* const at = known ? code_at(plain.site) : here;
  if (writes ? count_again("data_race", at) : reads_.contains(at)) return;
  const bool by_one = (plain.cell & kSeveral) == 0;
  Read race{.text = known
                        ? text_of_mixed_race(address, writes ? Access::write : Access::read, place,
                                             other_block, short_site(here))
                        : text_of_race(address, plain.cell, plain.site, access, other_block, here),
            .site = at,
            .caller = known ? nullptr : caller_of(here),
            .block = by_one ? block_of(plain.cell) : blockIdx,
            .thread = by_one ? thread_of(plain.cell) : threadIdx};
  if (!writes) return hold_back(std::move(race));
  report_of(race.block, race.thread,
            {.kind = "data_race",
             .message = std::move(race.text),
             .site = race.site,
             .caller = race.caller,
             .in_kernel = true});
}

/// Judges a plain access to a word that threads have changed by atomic operations.
Cell MixedAccesses::judge_plain(Cell cell, std::uintptr_t address, unsigned bytes, Access access,
                                std::uint32_t site, const void* here) {
  const bool writes = access == Access::write;
  const bool own = of_running_thread(cell), in_order = of_this_block(cell) && ordered(cell);
  const bool other_block = !of_this_block(cell);
  const Plain* const before = find(address);
  const bool stored = before != nullptr && (before->cell & kLastWrites) != 0 &&
                      races(before->cell, address, access);
  if (stored && !count_again("data_race", here))
    report_access("data_race", address, bytes, access, here,
                  text_of_race(address, before->cell, before->site, access,
                               !of_this_block(before->cell), here));
  if (races(cell, address, access)) {
    if (!writes) {
      last_read_[running_thread()] = {address, here};
      if (!reads_.contains(here))
        hold_back({.text = text_of_race(address, cell, site, access, other_block, here),
                   .site = here,
                   .caller = caller_of(here),
                   .block = blockIdx,
                   .thread = threadIdx});
      return cell;
    }
    if (!count_again("data_race", here))
      report_access("data_race", address, bytes, access, here,
                    text_of_race(address, cell, site, access, other_block, here));
  } else if (!writes && !own && !in_order) {
    fences.acquire(address);
  }
  // The thread's own operation stays in the cell, because others must not read before a barrier.
  if (!writes && (!of_this_block(cell) || (own && !in_order))) {
    if (own && (before == nullptr || (before->cell & kLastWrites) == 0))
      plain_[address] = {fresh_cell(access), short_site(here)};
    return cell;
  }
  plain_.erase(address);
  return writes ? fresh_cell(access) : fresh_cell(access) | kWritten;
}

void MixedAccesses::hold_back(Read read) { reads_.try_emplace(read.site, std::move(read)); }

void MixedAccesses::attempt(std::uintptr_t address, const Plain* before) {
  const auto decides = [&](const SourceLine& place) {
    if (place.line != 0) deciding_.insert({place.file, place.line});
  };
  auto& [read, site] = last_read_[running_thread()];
  if (site != nullptr && (read - address < 4 || address - read < 4)) {
    decides(source_line(site));
    site = nullptr;
  }
  if (before != nullptr && (before->cell & kLastWrites) == 0) decides(place_at(before->site));
}

void MixedAccesses::report_reads() {
  for (auto& [site, read] : reads_) {
    const SourceLine place = source_line(site);
    if (deciding_.contains({place.file, place.line})) continue;
    report_of(read.block, read.thread,
              {.kind = "data_race",
               .message = std::move(read.text),
               .site = read.site,
               .caller = read.caller,
               .in_kernel = true});
  }
  reads_.clear();
}

}  // namespace opgrade_emulation
