#include "grader/emulation/runtime/count/reuse.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/memory.hpp"

namespace opgrade_emulation {

bool Reuse::prepare() {
  if (cells_ != nullptr) return true;
  const DeviceRange& range = device_range();
  static_assert(kBesideEachByte >= sizeof(Cell) / 4);
  // Shared, because private memory counts into a limit on data (RLIMIT_DATA) whether used or not.
  void* const cells = mmap(range.beside, range.bytes / 4 * sizeof(Cell), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (cells == MAP_FAILED) stop_process("no memory to count accesses with");
  cells_ = static_cast<Cell*>(cells);
  begin_ = range.begin;
  bytes_ = range.bytes;
  return true;
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
  std::uintptr_t next = 0;
  for (unsigned i = 0; i < request.lanes; ++i) {
    const std::uintptr_t first = (request.address[i] - begin_) / 4;
    const std::uintptr_t last = (request.address[i] - begin_ + request.bytes - 1) / 4;
    of.loads += last - first + 1;
    for (std::uintptr_t word = first < next ? next : first; word <= last; ++word) {
      Cell& cell = cells_[word];
      of.of_blocks += cell.block != block_;
      of.of_grids += cell.launch != launch_;
      cell = {block_, launch_};
      next = word + 1;
    }
  }
  return array;
}

void Reuse::move(const Request& request, LaunchCounts& counts) {
  prepare();
  const bool loads = request.site.use == Use::load;
  std::uint64_t sum = request.site.use == Use::atomic;
  for (unsigned i = 0; i < request.lanes; ++i) {
    for (unsigned done = 0; done < request.bytes; done += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, reinterpret_cast<const char*>(request.address[i]) + done,
                  std::min(request.bytes - done, 4u));
      const std::uint64_t hash = word * 0x9e3779b97f4a7c15u;
      sum += (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
      const std::uintptr_t at = (request.address[i] + done - begin_) / 4;
      sum += !loads && at < bytes_ / 4 && cells_[at].launch == launch_;
      counts.moved_words += !loads && word != 0;
    }
  }
  counts.moved += loads ? sum : -sum;
}

std::uint64_t Tile::use(const Request& request, std::uintptr_t begin, unsigned warp) {
  const bool loads = request.site.use == Use::load;
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
