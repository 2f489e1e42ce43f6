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
  array_ = nullptr;
  known_bytes_ = 0;
  Allocation found;
  if (!find_allocation(reinterpret_cast<const void*>(address), found) ||
      address - found.address >= found.bytes)
    return 0;
  known_bytes_ = found.bytes;
  return known_ = found.address;
}

std::uintptr_t Reuse::load(const Pattern& pattern, std::uintptr_t shift, LaunchCounts& counts) {
  prepare();
  shift -= begin_;
  if (pattern.spans[0].begin + shift >= bytes_) return 0;
  const std::uintptr_t array = allocation_of(begin_ + pattern.spans[0].begin + shift);
  if (array_ == nullptr) array_ = &counts.arrays[array];
  array_->bytes = array == 0 ? 0 : known_bytes_;
  array_->loads += pattern.words;
  std::uint32_t of_blocks = 0, of_grids = 0;
  std::uintptr_t next = 0;
  for (unsigned i = 0; i < pattern.span_count; ++i) {
    next = std::max((pattern.spans[i].begin + shift) / 4, next);
    const std::uintptr_t end = (pattern.spans[i].end + shift + 3) / 4;
    for (; next < end; ++next) {
      of_blocks += cells_[next] != block_;
      of_grids += cells_[next] < launch_;
      cells_[next] = block_;
    }
  }
  array_->of_blocks += of_blocks;
  array_->of_grids += of_grids;
  return array;
}

void Reuse::move(const Request& request, LaunchCounts& counts) {
  prepare();
  const bool loads = request.site.use() == Use::load;
  std::uint64_t sum = request.site.use() == Use::atomic;
  for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
    const std::uintptr_t address = request.address[static_cast<unsigned>(__builtin_ctz(rest))];
    for (unsigned done = 0; done < request.bytes; done += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, reinterpret_cast<const char*>(address) + done,
                  std::min(request.bytes - done, 4u));
      const std::uint64_t hash = word * 0x9e3779b97f4a7c15u;
      sum += (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
      const std::uintptr_t at = (address + done - begin_) / 4;
      sum += !loads && at < bytes_ / 4 && cells_[at] >= launch_;
      counts.moved_words += !loads && word != 0;
    }
  }
  counts.moved += loads ? sum : -sum;
}

std::uint64_t Tile::use(const Request& request, std::uintptr_t begin, unsigned warp) {
  const std::uint64_t writer = std::uint64_t{block_} << 32 | warp * 32;
  const auto each_word = [&](auto&& use) {
    for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      const std::uintptr_t first = request.address[lane] - begin;
      const std::uintptr_t last = (first + request.bytes - 1) / 4;
      std::uintptr_t word = first / 4;
      do use(cells_[word], writer | lane);
      while (++word <= last);
    }
  };
  std::uint64_t exchanged = 0;
  if (request.site.use() != Use::load)
    each_word([](std::uint64_t& cell, std::uint64_t thread) { cell = thread; });
  else  // words of this block, and not of this thread
    each_word([&](std::uint64_t cell, std::uint64_t thread) {
      exchanged += (cell ^ thread) - 1 < UINT32_MAX;
    });
  return exchanged;
}

}  // namespace opgrade_emulation
