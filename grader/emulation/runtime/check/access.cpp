// The functions that -fsanitize=thread calls before every load and store of a submission's code.
// They replace that sanitizer's library and check the cells of device memory.
#include "grader/emulation/runtime/check/blocks_outside.hpp"
#include "grader/emulation/runtime/check/orderly.hpp"
#include "grader/emulation/runtime/check/vtables.hpp"
#include "grader/emulation/runtime/hooks.hpp"

namespace opgrade_emulation {

__thread Self self OPGRADE_TLS;
__thread bool in_kernel OPGRADE_TLS;
Shadow shadow;

namespace {

// Makes the linker take the archive's member with the hooks whenever it takes this one.
[[gnu::used]] const CheckHooks* const linked = &the_checks;

/// The most common cases first. Always false on the host.
inline bool nothing_new_for_read(Cell cell) {
  const Cell written = cell | kWritten;
  return written == self.block_read || cell == self.many || written == self.read ||
         written == self.write || written == self.warp_read;
}

/// Stores the access in its cells, if it surely is no mistake.
template <unsigned kBytes, bool kWrite>
bool remember_orderly(std::uintptr_t offset, const void* site) {
  constexpr Access kind = kWrite ? Access::write : Access::read;
  constexpr unsigned kCells = kBytes < 4 ? kBytes : kBytes / 4;
  if ((offset & (kBytes - 1)) != 0) return false;
  const std::uintptr_t word = offset >> 2;
  if (kBytes < 4 && shadow.words[word] != kSplit) return false;
  Cell* const cells = kBytes < 4 ? shadow.split + offset : shadow.words + word;
  Cell next[kCells];
  for (unsigned i = 0; i < kCells; ++i) {
    if (kBytes < 4 && i > 0 && cells[i] == cells[0]) {
      next[i] = next[0];
      continue;
    }
    next[i] = after_orderly(cells[i], kind, offset < shadow.shared_bytes);
    if (next[i] == kClosed) return false;
  }
  for (unsigned i = 0; i < kCells; ++i) {
    if (next[i] == cells[i]) continue;
    cells[i] = next[i];
    shadow.sites[kBytes < 4 ? word : word + i] = short_site(site);
  }
  if (kWrite && offset >= shadow.shared_bytes && (self.write & kThreadMask) == 0)
    blocks_outside.add_inside_write();
  return true;
}

/// Handles all but the common kinds of accesses.
template <unsigned kBytes, Access kind>
__attribute__((noinline)) void uncommon_access(std::uintptr_t address, const void* site) {
  const std::uintptr_t offset = address - shadow.begin;
  constexpr bool kWrite = kind == Access::write;
  if (offset < shadow.bytes) {
    if (in_kernel && remember_orderly<kBytes, kWrite>(offset, site)) return;
    if (!in_kernel && kBytes == 8 && kind == Access::read)
      host_reads_word(reinterpret_cast<const void*>(address), site);
    return check_slowly(address, kBytes, kind, site);
  }
  if (!in_kernel) {
    if (kBytes == 8 && kind == Access::read && any_object_of_device())
      host_reads_word(reinterpret_cast<const void*>(address), site);
    return;
  }
  if (address - self.stack < kStackBytes || address - self.builtin < kBuiltinBytes) return;
  if (!kWrite && address - self.symbol < self.symbol_bytes) return;
  check_elsewhere(address, kBytes, kind, site);
}

template <unsigned kBytes, Access kind>
__attribute__((always_inline)) inline void access(const void* pointer, const void* site) {
  constexpr bool kWrite = kind == Access::write;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t offset = address - shadow.begin;
  if (__builtin_expect(offset < shadow.bytes && (offset & (kBytes - 1)) == 0, true)) {
    const Cell* cell = shadow.words + (offset >> 2);
    bool known = true;
    constexpr unsigned kWords = kBytes < 4 ? 1 : kBytes / 4;
    for (unsigned i = 0; i < kWords; ++i)
      known = known && (kWrite ? cell[i] == self.write : nothing_new_for_read(cell[i]));
    if (__builtin_expect(known, true)) return;
    if (kBytes < 4 && *cell == kSplit && in_kernel) {
      const Cell* const byte = shadow.split + offset;
      const bool same = kBytes == 1 || byte[0] == byte[1];
      if (same && (kWrite ? byte[0] == self.write : nothing_new_for_read(byte[0]))) return;
    }
  }
  uncommon_access<kBytes, kind>(address, site);
}

/// Accepts any number of bytes at any place. On the host only device memory is checked.
void access_range(const void* pointer, unsigned long bytes, Access kind, const void* site) {
  const char* p = static_cast<const char*>(pointer);
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(p) - shadow.begin;
  if (!in_kernel) {
    if (bytes > 0 && offset < shadow.bytes)
      check_slowly(reinterpret_cast<std::uintptr_t>(p), 1, kind, site);
    return;
  }
  if (reinterpret_cast<std::uintptr_t>(p) - self.parameters < self.parameter_bytes) {
    const unsigned long left =
        self.parameters + self.parameter_bytes - reinterpret_cast<std::uintptr_t>(p);
    const unsigned long known = bytes < left ? bytes : left;
    p += known;
    bytes -= known;
  }
  while (bytes > 0) {
    const unsigned long to_next = 4 - reinterpret_cast<std::uintptr_t>(p) % 4;
    const unsigned part = static_cast<unsigned>(bytes < to_next ? bytes : to_next);
    for (unsigned i = 0; i < part; part == 4 ? i += 4 : ++i) {
      if (kind == Access::write) {
        part == 4 ? access<4, Access::write>(p + i, site) : access<1, Access::write>(p + i, site);
      } else {
        part == 4 ? access<4, Access::read>(p + i, site) : access<1, Access::read>(p + i, site);
      }
    }
    p += part;
    bytes -= part;
  }
}

void* checked_move(void* to, const void* from, unsigned long bytes, const void* site) {
  access_range(from, bytes, Access::read, site);
  access_range(to, bytes, Access::write, site);
  return __builtin_memmove(to, from, bytes);
}

void* checked_set(void* to, int value, unsigned long bytes, const void* site) {
  access_range(to, bytes, Access::write, site);
  return __builtin_memset(to, value, bytes);
}

}  // namespace
}  // namespace opgrade_emulation

using namespace opgrade_emulation;

#define SITE __builtin_return_address(0)
#define ACCESS(bytes)                                                                          \
  void __tsan_read##bytes(void* p) { access<bytes, Access::read>(p, SITE); }                   \
  void __tsan_write##bytes(void* p) { access<bytes, Access::write>(p, SITE); }                 \
  void __tsan_volatile_read##bytes(void* p) { access<bytes, Access::volatile_read>(p, SITE); } \
  void __tsan_volatile_write##bytes(void* p) { access<bytes, Access::write>(p, SITE); }        \
  void __tsan_unaligned_read##bytes(void* p) { access_range(p, bytes, Access::read, SITE); }   \
  void __tsan_unaligned_write##bytes(void* p) { access_range(p, bytes, Access::write, SITE); } \
  void __tsan_unaligned_volatile_read##bytes(void* p) {                                        \
    access_range(p, bytes, Access::read, SITE);                                                \
  }                                                                                            \
  void __tsan_unaligned_volatile_write##bytes(void* p) {                                       \
    access_range(p, bytes, Access::write, SITE);                                               \
  }

extern "C" {
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_read_range(void* p, unsigned long bytes) { access_range(p, bytes, Access::read, SITE); }
void __tsan_write_range(void* p, unsigned long bytes) {
  access_range(p, bytes, Access::write, SITE);
}
// opgrade_emulation/checked_copies.hpp redirects the submission's memcpy, memmove and memset to
// these, too.
void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  return checked_move(to, from, bytes, SITE);
}
void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
  return checked_move(to, from, bytes, SITE);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
  return checked_set(to, value, bytes, SITE);
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
// Called when an object gets its table of virtual functions: managed memory may hold objects of the
// host.
void __tsan_vptr_update(void** p, void*) {
  access<8, Access::write>(p, SITE);
  object_made(p);
}
void __tsan_vptr_read(void**) {}
}
