#include "grader/emulation/runtime/count/reuse.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/memory.hpp"

namespace opgrade_emulation {

void Reuse::prepare() {
  if (cells_ != nullptr) return;
  const DeviceRange& range = device_range();
  // Shared, because private memory counts into a limit on data (RLIMIT_DATA) whether used or not.
  void* const cells = mmap(range.beside, range.bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (cells == MAP_FAILED) stop_process("no memory to count accesses with");
  cells_ = static_cast<std::uint32_t*>(cells);
  begin_ = range.begin;
  bytes_ = range.bytes;
}

std::uintptr_t Reuse::allocation_of(std::uintptr_t address) {
  if (address - known_ < known_bytes_) return known_;
  Allocation found;
  if (!find_allocation(reinterpret_cast<const void*>(address), found)) return 0;
  known_ = found.address;
  known_bytes_ = found.bytes;
  return address - known_ < known_bytes_ ? known_ : 0;
}

std::uintptr_t Reuse::load(const Request& request, LaunchCounts& counts) {
  prepare();
  if (request.address[0] - begin_ >= bytes_) return 0;
  const std::uintptr_t array = allocation_of(request.address[0]);
  ArrayCounts& of = counts.arrays[array];
  of.bytes = array == 0 ? 0 : known_bytes_;
  for (unsigned i = 0; i < request.lanes; ++i)
    of.loads += (request.address[i] + request.bytes - 1) / 4 - request.address[i] / 4 + 1;
  std::uint32_t of_blocks = 0, of_grids = 0;
  std::uintptr_t next = 0;
  for (unsigned i = 0; i < request.span_count; ++i) {
    const std::uintptr_t end = (request.spans[i].end - begin_ + 3) / 4;
    for (next = std::max((request.spans[i].begin - begin_) / 4, next); next < end; ++next) {
      of_blocks += cells_[next] != block_;
      of_grids += cells_[next] < launch_;
      cells_[next] = block_;
    }
  }
  of.of_blocks += of_blocks;
  of.of_grids += of_grids;
  return array;
}

void Reuse::move(const Request& request, LaunchCounts& counts) {
  prepare();
  const bool loads = request.site.use() == Use::load;
  std::uint64_t sum = request.site.use() == Use::atomic;
  for (unsigned i = 0; i < request.lanes; ++i) {
    for (unsigned done = 0; done < request.bytes; done += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, reinterpret_cast<const char*>(request.address[i]) + done,
                  std::min(request.bytes - done, 4u));
      const std::uint64_t hash = word * 0x9e3779b97f4a7c15u;
      sum += (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
      const std::uintptr_t at = (request.address[i] + done - begin_) / 4;
      sum += !loads && at < bytes_ / 4 && cells_[at] >= launch_;
      counts.moved_words += !loads && word != 0;
    }
  }
  counts.moved += loads ? sum : -sum;
}

std::uint64_t Tile::use(const Request& request, std::uintptr_t begin, unsigned warp) {
  const bool loads = request.site.use() == Use::load;
  std::uint64_t exchanged = 0;
  std::uint32_t rest = request.mask;
  for (unsigned i = 0; i < request.lanes; ++i, rest &= rest - 1) {
    const std::uint32_t thread = warp * 32 + static_cast<std::uint32_t>(__builtin_ctz(rest));
    const std::uintptr_t first = request.address[i] - begin;
    for (std::uintptr_t word = first / 4; word <= (first + request.bytes - 1) / 4; ++word) {
      Cell& cell = cells_[word % cells_.size()];
      if (!loads)
        cell = {block_, thread};
      else
        exchanged += cell.block == block_ && cell.thread != thread;
    }
  }
  return exchanged;
}

}  // namespace opgrade_emulation
