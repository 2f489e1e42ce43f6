// The functions that -fsanitize=thread calls before every load and store, for the counting build.
#include "grader/emulation/runtime/hooks.hpp"

#include <algorithm>
#include <unordered_map>

#include "grader/emulation/runtime/count/reuse.hpp"
#include "grader/emulation/runtime/count/threads.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/symbols.hpp"
#include "opgrade_emulation/counting.hpp"

namespace opgrade_emulation {
namespace {

// The archive's member with the hooks is linked because this one is.
[[gnu::used]] const CheckHooks* const linked = &the_checks;

/// A device that counts runs blocks one after another on one host thread.
struct State {
  LaunchCounts counts;
  Reuse reuse;
  Tile tile;
  std::array<ThreadPlace, kMaxThreads> places;
  std::array<WarpLog, kMaxThreads / 32> logs;
  std::unordered_map<std::uintptr_t, std::uint64_t> atomics;
  unsigned threads = 0;
  bool computes = false;                ///< the launch has made an operation, so it is no copy
  const SymbolRange* symbol = nullptr;  ///< used last
};
State* const all = new State;
State& state() { return *all; }

void use_request(State& s, unsigned warp, Request& request) {
  if (request.site.space == Space::shared)
    s.counts.exchanged += s.tile.use(request, here.shared, warp);
  AccessCounts counted = count_request(request);
  if (request.site.space == Space::global) {
    if (!s.computes) s.reuse.move(request, s.counts);
    if (request.site.use == Use::load) counted.array = s.reuse.load(request, s.counts);
    if (request.site.use == Use::atomic)
      for (unsigned i = 0; i < request.lanes; ++i)
        s.counts.same_address = std::max(s.counts.same_address, ++s.atomics[request.address[i]]);
  }
  s.counts.sites[request.site].add(counted);
}

void flush(State& s, unsigned warp) {
  if (s.logs[warp].size() == 0) return;
  s.logs[warp].flush([&](Request& request) { use_request(s, warp, request); });
  for (unsigned t = warp * 32; t < std::min(s.threads, warp * 32 + 32); ++t)
    s.places[t].cursor = {};
}

void flush_all(State& s) {
  for (unsigned warp = 0; warp * 32 < s.threads; ++warp) flush(s, warp);
}

/// Some 20 MB. A warp that does more without a barrier is flushed in between: lanes that run later
/// then make requests of their own.
constexpr std::size_t kMostEntries = 1 << 16;

__attribute__((noinline)) void flush_running(const Here& now) {
  State& s = state();
  flush(s, static_cast<unsigned>(now.log - s.logs.data()));
}

/// A variable of the device's, unless it is the host's or a thread's own.
__attribute__((noinline)) bool is_variable(std::uintptr_t address, Space& space) {
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

inline void log(const void* pointer, unsigned bytes, Use use, const void* site) {
  const Here& now = here;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  Space space = Space::global;
  if (address - now.device < now.device_bytes) {
    if (address - now.shared < kSharedRoom) space = Space::shared;
  } else if (address - now.stack < kStackBytes || now.place == nullptr ||
             !is_variable(address, space)) {
    return;
  }
  ThreadPlace* const place = now.place;
  if (place == nullptr) return;
  place->idle = false;
  if (__builtin_expect(now.log->size() >= kMostEntries, false)) flush_running(now);
  now.log->add(place->cursor, now.lane, place->path, {site, space, use}, bytes, address,
               place->loop);
}

/// Copies of structures: a GPU's instruction moves 16 bytes at most.
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

void launch_begins() {
  State& s = state();
  const DeviceRange& range = device_range();
  here.device = range.begin;
  here.device_bytes = range.bytes;
  s.counts = {};
  s.computes = false;
  s.atomics.clear();
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
  State& s = state();
  end_block(s);
  here = {};
}

void block_begins(Worker& worker) {
  State& s = state();
  end_block(s);
  s.threads = worker.threads();
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
  State& s = state();
  here.place = &s.places[fiber.thread];
  here.log = &s.logs[fiber.thread / 32];
  here.lane = fiber.thread % 32;
  here.stack = reinterpret_cast<std::uintptr_t>(fiber.stack);
}

void block_synchronized(Worker&) {
  State& s = state();
  flush_all(s);
  ++s.counts.barriers;
}

void warp_operation(WarpOperation operation) {
  LaunchCounts& counts = state().counts;
  if (operation == WarpOperation::shuffle) {
    ++counts.shuffles;
  } else if (operation == WarpOperation::collective) {
    ++counts.fragments;
  } else if (operation != WarpOperation::barrier && operation != WarpOperation::active) {
    ++counts.votes;
  }
}

const LaunchCounts* counted() { return &state().counts; }

void atomic(const void* address, std::size_t bytes, const void* site) {
  log(address, static_cast<unsigned>(bytes), Use::atomic, site);
}

}  // namespace

void count_arithmetic(int type, Arithmetic kind) {
  State& s = state();
  s.computes = true;
  std::uint64_t* const of = s.counts.arithmetic[type];
  ++of[static_cast<int>(kind)];
  // The product that the sum takes in is no instruction of its own; one of another type stays.
  std::uint64_t& products = of[static_cast<int>(Arithmetic::multiply)];
  if (kind == Arithmetic::fused && products > 0) --products;
}

const CheckHooks the_checks{[] {},
                            &launch_begins,
                            &launch_ends,
                            &block_begins,
                            [](Worker&) {},
                            &thread_runs,
                            [](Worker&, unsigned) {},
                            &block_synchronized,
                            [](Worker&) {},
                            [](Worker&, const Fiber&) {},
                            [](const void*, std::size_t, MemoryKind) {},
                            [](const void*, std::size_t) {},
                            [](const void*, std::size_t) {},
                            [](const void*, std::size_t) {},
                            [](const void*, std::size_t bytes) { return bytes; },
                            [](long, std::size_t) {},
                            [](long, std::size_t) {},
                            &atomic,
                            [] {},
                            &warp_operation,
                            &counted};

}  // namespace opgrade_emulation

using namespace opgrade_emulation;

#define SITE __builtin_return_address(0)
#define ACCESS(bytes)                                                                  \
  void __tsan_read##bytes(void* p) { log(p, bytes, Use::load, SITE); }                 \
  void __tsan_write##bytes(void* p) { log(p, bytes, Use::store, SITE); }               \
  void __tsan_unaligned_read##bytes(void* p) { log_range(p, bytes, Use::load, SITE); } \
  void __tsan_unaligned_write##bytes(void* p) { log_range(p, bytes, Use::store, SITE); }

extern "C" {
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_read_range(void* p, unsigned long bytes) { log_range(p, bytes, Use::load, SITE); }
void __tsan_write_range(void* p, unsigned long bytes) { log_range(p, bytes, Use::store, SITE); }
void* __real_memmove(void* to, const void* from, unsigned long bytes);
void* __real_memset(void* to, int value, unsigned long bytes);
#define COPY(name)                                              \
  void* name(void* to, const void* from, unsigned long bytes) { \
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
