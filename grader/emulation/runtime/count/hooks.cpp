// The functions that -fsanitize=thread calls before every load and store, for the counting build.
#include "grader/emulation/runtime/hooks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "grader/emulation/runtime/count/request.hpp"
#include "grader/emulation/runtime/count/spoiler.hpp"
#include "grader/emulation/runtime/count/threads.hpp"
#include "grader/emulation/runtime/fault.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/symbols.hpp"
#include "grader/emulation/runtime/worker.hpp"
#include "opgrade_emulation/counting.hpp"

namespace opgrade_emulation {
namespace {

/// Counts how often elements of global memory are loaded, and how many different ones.
class Reuse {
 public:
  void launch_begins() {
    launch_ = block_ + 1;
    known_bytes_ = 0;  // memory may have been freed and allocated anew since then
    array_ = nullptr;
  }

  void block_begins() { ++block_; }
  /// Adds hashes of the words that the request loads, or subtracts those of the words that it
  /// stores, and counts the stored words. Zeros, which a copy may add at borders, have the hash 0.
  /// So a launch that only copies ends with moved == 0. A store to a word that the launch has
  /// loaded is no copy.
  void move(const Request& request, LaunchCounts& counts) {
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

  /// Returns the first address of the allocation, or 0 for a variable.
  std::uintptr_t load(const Pattern& pattern, std::uintptr_t shift, LaunchCounts& counts) {
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

 private:
  void prepare() {
    if (cells_ != nullptr) return;
    const DeviceRange& range = device_range();
    // Mapped as shared, because private memory counts into a limit on data (RLIMIT_DATA) even if
    // unused.
    void* const cells = mmap(range.beside, range.bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (cells == MAP_FAILED) stop_process("no memory to count accesses with");
    cells_ = static_cast<std::uint32_t*>(cells);
    begin_ = range.begin;
    bytes_ = range.bytes;
  }

  std::uintptr_t allocation_of(std::uintptr_t address) {
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

  std::uint32_t* cells_ =
      nullptr;  ///< for each word of device memory: the block that loaded it last
  std::uintptr_t begin_ = 0;
  std::size_t bytes_ = 0;
  std::uint32_t block_ = 0, launch_ = 0;  ///< number of the block; the first of the launch
  std::uintptr_t known_ = 0;              ///< the allocation that was looked up last
  std::size_t known_bytes_ = 0;
  ArrayCounts* array_ = nullptr;  ///< counts of `known_`
};

/// Records who wrote the block's shared memory, in words of four bytes.
class Tile {
 public:
  void block_begins() { ++block_; }
  /// Returns the number of words that the request's lanes load and other threads of the block
  /// wrote.
  std::uint64_t use(const Request& request, std::uintptr_t begin, unsigned warp) {
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
    else  // counts words that another thread of this block wrote
      each_word([&](std::uint64_t cell, std::uint64_t thread) {
        exchanged += (cell ^ thread) - 1 < UINT32_MAX;
      });
    return exchanged;
  }

 private:
  /// For each word the block and, in the lower half, the thread that wrote it last.
  std::vector<std::uint64_t> cells_ =
      std::vector<std::uint64_t>(kSharedRoom / 4 + 4);  // room for a last access of 16 bytes
  std::uint32_t block_ = 0;
};

// Makes the linker take the archive's member with the hooks whenever it takes this one.
[[gnu::used]] const CheckHooks* const linked = &the_checks;

/// State of the counting. A device that counts runs blocks one after another on one host thread.
struct State {
  LaunchCounts counts;
  Reuse reuse;
  Tile tile;
  std::array<ThreadPlace, kMaxThreads> places;
  std::array<WarpLog, kMaxThreads / 32> logs;
  Patterns patterns;
  std::unordered_map<std::uintptr_t, std::uint64_t> atomics;
  unsigned threads = 0;
  const Worker* worker = nullptr;       ///< of the running block
  unsigned flushed = 0;                 ///< warps before it wait at the barrier or have ended
  const SymbolRange* symbol = nullptr;  ///< used last
};
State* const all = new State;
State& state() { return *all; }

/// True if the launch has made no arithmetic operation yet.
bool only_moves() {
  for (const auto& type : arithmetic_counts)
    for (const auto n : type)
      if (n != 0) return false;
  return true;
}

void use_request(State& s, unsigned warp, const Request& request) {
  std::uint64_t exchanged = 0;
  if (request.site.space() == Space::shared) exchanged = s.tile.use(request, here.shared, warp);
  s.counts.exchanged += exchanged;
  if (request.site.space() == Space::global) {
    if (only_moves()) s.reuse.move(request, s.counts);
    if (request.site.use() == Use::atomic)
      for (std::uint32_t rest = request.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        s.counts.same_address = std::max(s.counts.same_address, ++s.atomics[request.address[lane]]);
      }
  }
  std::uintptr_t shift = 0;
  Pattern& pattern = find_pattern(s.patterns, request, shift);
  if (pattern.sum == nullptr) pattern.sum = &s.counts.sites[request.site];
  if (request.site.space() == Space::global && request.site.use() == Use::load)
    pattern.counts.array = s.reuse.load(pattern, shift, s.counts);
  pattern.sum->add(pattern.counts);
  pattern.sum->exchanged += exchanged;
}

void flush(State& s, unsigned warp) {
  if (s.logs[warp].empty()) return;
  s.logs[warp].flush([&](const Request& request) { use_request(s, warp, request); });
  for (unsigned t = warp * 32; t < std::min(s.threads, warp * 32 + 32); ++t)
    s.places[t].cursor = {};
}

void flush_all(State& s) {
  for (unsigned warp = s.flushed; warp * 32 < s.threads; ++warp) flush(s, warp);
  std::swap(s.logs[0], s.logs[s.flushed]);
  s.flushed = 0;
}

/// Counts a warp whose threads all wait at the barrier or have ended, while its accesses are still
/// in the cache. The next warp reuses the memory.
void flush_finished(State& s, unsigned next) {
  if (next != s.flushed + 1 || !s.logs[next].empty()) return;
  const Warp& lanes = s.worker->warp(s.flushed);
  for (std::uint32_t rest = lanes.exists & ~lanes.done; rest != 0; rest &= rest - 1) {
    const unsigned t = s.flushed * 32 + static_cast<unsigned>(__builtin_ctz(rest));
    if (s.worker->waiting(t) != Waiting::block) return;
  }
  flush(s, s.flushed);
  std::swap(s.logs[s.flushed], s.logs[next]);
  s.flushed = next;
}

/// True if a variable of the device contains the address. Variables of the host or of one thread
/// are no such variables.
bool is_variable(std::uintptr_t address, Space& space) {
  State& s = state();
  const auto* const p = reinterpret_cast<const char*>(address);
  if (s.symbol == nullptr || p < s.symbol->begin || p >= s.symbol->begin + s.symbol->bytes) {
    const SymbolRange* const found = find_symbol(p);
    if (found == nullptr) return false;
    s.symbol = found;
  }
  space = s.symbol->kind == SymbolKind::constant ? Space::constant : Space::global;
  return true;
}

/// Spoils the loads of one site, if this run has such a site.
Spoiler spoiler;

__attribute__((noinline)) void add(std::uintptr_t address, unsigned bytes, AccessSite site) {
  State& s = state();
  ThreadPlace& place = *here.place;
  place.idle = false;
  if (here.log->full()) flush(s, static_cast<unsigned>(here.log - s.logs.data()));
  here.log->add(place.cursor, here.lane, place.path, site, bytes, address, place.loop);
}

inline void log(std::uintptr_t address, unsigned bytes, AccessSite site) {
  if (spoiler.spoils(site)) spoiler.spoil(address, bytes);
  if (!here.log->add_expected(here.place->cursor, here.lane, here.place->path, site, address))
    add(address, bytes, site);
}

__attribute__((noinline)) void log_variable(std::uintptr_t address, unsigned bytes, Use use,
                                            const void* site) {
  Space space = Space::global;
  if (here.place != nullptr && is_variable(address, space)) log(address, bytes, {site, space, use});
}

/// Checks local memory first, because code with arrays that a GPU keeps in registers accesses it
/// most.
__attribute__((always_inline)) inline void log(const void* pointer, unsigned bytes, Use use,
                                               const void* site) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address - here.stack < kStackBytes) return;
  if (address - here.shared < kSharedRoom) return log(address, bytes, {site, Space::shared, use});
  if (address - here.device < here.device_bytes)
    return log(address, bytes, {site, Space::global, use});
  if (address - here.symbols < here.symbols_bytes) log_variable(address, bytes, use, site);
}

/// Called before an access, when the load before it is done.
inline void access_begins() {
  if (spoiler.has_spoiled()) spoiler.restore();
}

/// Splits copies of structures, because a GPU's instruction moves at most 16 bytes.
void log_range(const void* pointer, unsigned long bytes, Use use, const void* site) {
  if (here.place == nullptr) return;
  const char* p = static_cast<const char*>(pointer);
  while (bytes > 0) {
    unsigned part = 16;
    while (part > bytes || bytes % part != 0) part /= 2;
    log(p, part, use, site);
    p += part;
    bytes -= part;
  }
}

void look_at_symbols() {
  const SymbolRange variables = all_symbols();
  here.symbols = reinterpret_cast<std::uintptr_t>(variables.begin);
  here.symbols_bytes = variables.bytes;
}

void launch_begins() {
  State& s = state();
  std::memset(arithmetic_counts, 0, sizeof arithmetic_counts);
  const DeviceRange& range = device_range();
  here.device = range.begin;
  here.device_bytes = range.bytes;
  look_at_symbols();
  symbol_came = look_at_symbols;
  here.place = &s.places[0];
  here.log = &s.logs[0];
  s.counts = {};
  s.atomics.clear();
  s.patterns.fill({});
  s.symbol = nullptr;
  s.reuse.launch_begins();
}

void end_block(State& s) {
  flush_all(s);
  for (unsigned t = 0; t < s.threads; ++t) s.counts.idle += s.places[t].idle;
  s.counts.threads += s.threads;
  s.threads = 0;
}

void launch_ends() {
  access_begins();
  State& s = state();
  end_block(s);
  here = {};
}

void block_begins(Worker& worker) {
  State& s = state();
  end_block(s);
  s.threads = worker.threads();
  s.worker = &worker;
  here.shared = reinterpret_cast<std::uintptr_t>(worker.shared());
  for (unsigned t = 0; t < s.threads; ++t) {
    s.places[t].path = 0;
    s.places[t].depth = 0;
    s.places[t].cursor = {};
    s.places[t].idle = true;
    s.places[t].loop = {};
  }
  s.reuse.block_begins();
  s.tile.block_begins();
}

void thread_runs(const Fiber& fiber) {
  access_begins();
  State& s = state();
  if (fiber.thread % 32 == 0) flush_finished(s, fiber.thread / 32);
  here.place = &s.places[fiber.thread];
  here.log = &s.logs[fiber.thread / 32];
  here.lane = fiber.thread % 32;
  here.stack = reinterpret_cast<std::uintptr_t>(fiber.stack);
}

void block_synchronized(Worker&) {
  access_begins();
  State& s = state();
  flush_all(s);
  ++s.counts.barriers;
}

void warp_operation(WarpOperation operation) {
  access_begins();
  LaunchCounts& counts = state().counts;
  if (operation == WarpOperation::shuffle) {
    ++counts.shuffles;
  } else if (operation == WarpOperation::collective) {
    ++counts.fragments;
  } else if (operation != WarpOperation::barrier && operation != WarpOperation::active) {
    ++counts.votes;
  }
}

const LaunchCounts* counted() {
  LaunchCounts& counts = state().counts;
  std::memcpy(counts.arithmetic, arithmetic_counts, sizeof counts.arithmetic);
  return &counts;
}

void atomic(const void* address, std::size_t bytes, unsigned, const void* site) {
  access_begins();
  log(address, static_cast<unsigned>(bytes), Use::atomic, site);
}

}  // namespace

unsigned long long arithmetic_counts[2][4];

const CheckHooks the_checks{.launch_begins = &launch_begins,
                            .launch_ends = &launch_ends,
                            .block_begins = &block_begins,
                            .block_goes_on = [](Worker& worker) { state().worker = &worker; },
                            .thread_runs = &thread_runs,
                            .block_synchronized = &block_synchronized,
                            .atomic = &atomic,
                            .warp_operation = &warp_operation,
                            .counted = &counted};

}  // namespace opgrade_emulation

using namespace opgrade_emulation;

#define SITE __builtin_return_address(0)
// A copy of a structure calls the hooks of its load and of its store before either is made.
#define ACCESS(bytes)                                                    \
  void __tsan_read##bytes(void* p) {                                     \
    access_begins();                                                     \
    log(p, bytes, Use::load, SITE);                                      \
  }                                                                      \
  void __tsan_unaligned_read##bytes(void* p) {                           \
    access_begins();                                                     \
    log_range(p, bytes, Use::load, SITE);                                \
  }                                                                      \
  void __tsan_write##bytes(void* p) { log(p, bytes, Use::store, SITE); } \
  void __tsan_unaligned_write##bytes(void* p) { log_range(p, bytes, Use::store, SITE); }

extern "C" {
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_read_range(void* p, unsigned long bytes) {
  access_begins();
  log_range(p, bytes, Use::load, SITE);
}
void __tsan_write_range(void* p, unsigned long bytes) { log_range(p, bytes, Use::store, SITE); }
void* __real_memmove(void* to, const void* from, unsigned long bytes);
void* __real_memset(void* to, int value, unsigned long bytes);
// Both ranges are logged before the copy, so the copy takes the spoiled values.
#define COPY(name)                                              \
  void* name(void* to, const void* from, unsigned long bytes) { \
    access_begins();                                            \
    log_range(from, bytes, Use::load, SITE);                    \
    log_range(to, bytes, Use::store, SITE);                     \
    return __real_memmove(to, from, bytes);                     \
  }
#define FILL(name)                                       \
  void* name(void* to, int value, unsigned long bytes) { \
    log_range(to, bytes, Use::store, SITE);              \
    return __real_memset(to, value, bytes);              \
  }
COPY(__tsan_memcpy)
COPY(__tsan_memmove)
COPY(__wrap_memcpy)
COPY(__wrap_memmove)
FILL(__tsan_memset)
FILL(__wrap_memset)
void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
}
