/// Puts the accesses of a warp's lanes together again, which run one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "grader/emulation/runtime/count/request.hpp"

namespace opgrade_emulation {

inline std::uint64_t deeper(std::uint64_t path, std::uint64_t step) {
  const std::uint64_t mixed = (path ^ step) * 0x9e3779b97f4a7c15u;
  return mixed ^ mixed >> 31;
}

/// Of the innermost loop whose bound is known to the compiler, which unrolls it; key 0 for none.
struct LoopRound {
  std::uint64_t key = 0;
  unsigned round = 0;

  /// Of the accesses in the round itself.
  std::uint64_t path() const { return round == 0 ? key : deeper(key, round); }
};

/// The accesses that a warp made since it was last flushed. Lanes that reach the same site by the
/// same calls, in the same rounds of all loops and for the same time share a request.
class WarpLog {
 public:
  /// Lanes follow each other: the next entry is most often the one that came for the lane before.
  struct Cursor {
    std::uint32_t last = kNowhere, next = 0;  ///< most lanes begin with the first entry
  };

  void add(Cursor& cursor, unsigned lane, std::uint64_t path, const AccessSite& site,
           unsigned bytes, std::uintptr_t address, const LoopRound& loop) {
    const std::uint32_t bit = 1u << lane;
    std::uint32_t at = cursor.next;
    const bool expected =
        at < entries_.size() && fits(entries_[at], path, site) && (entries_[at].lanes & bit) == 0;
    if (__builtin_expect(!expected, false)) {
      at = find(lane, path, site, bytes, loop);
      if (cursor.last != kNowhere) entries_[cursor.last].follower = at;
    }
    Entry& entry = entries_[at];
    entry.lanes |= bit;
    entry.address[lane] = address;
    cursor.last = at;
    cursor.next = entry.follower;
    if (cursor.next < entries_.size()) {
      __builtin_prefetch(&entries_[cursor.next], 1);
      __builtin_prefetch(&entries_[cursor.next].address[lane], 1);
    }
  }
  /// Hands over each request, and is empty then; cursors start anew. Loads of neighbouring words of
  /// shared memory in successive rounds of an unrolled loop are one request of 8 or 16 bytes where
  /// all lanes are aligned for it, as ptxas merges them (LDS.64, LDS.128).
  void flush(const std::function<void(Request&)>& use);
  std::size_t size() const { return entries_.size(); }

  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

 private:
  struct Entry {
    std::uint64_t path;
    AccessSite site;
    unsigned bytes;
    LoopRound loop;
    std::uint32_t lanes = 0;
    std::uint32_t follower = kNowhere;  ///< entry that came behind it last
    std::uint32_t again = kNowhere;     ///< same site and path, another time
    std::uint32_t recent = kNowhere;    ///< of the first of these: the one that `lane` used last
    unsigned lane = 32;
    std::uint32_t group = kNowhere;  ///< the first of loads that are merged
    unsigned members = 1;            ///< of that group
    std::uintptr_t address[32];
  };
  struct Slot {
    std::uint32_t round = 0;  ///< taken if it is the log's
    std::uint32_t entry = 0;
  };

  bool fits(const Entry& entry, std::uint64_t path, const AccessSite& site) const {
    return entry.path == path && entry.site == site;
  }
  std::uint32_t find(unsigned lane, std::uint64_t path, const AccessSite& site, unsigned bytes,
                     const LoopRound& loop);
  std::uint32_t append(std::uint64_t path, const AccessSite& site, unsigned bytes,
                       const LoopRound& loop);
  void merge_loads();
  bool continues(const Entry& entry, const Entry& first) const;
  Slot& slot_of(std::uint64_t path, const AccessSite& site);
  void grow();

  std::vector<Entry> entries_;
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::uint32_t round_ = 1;
};

}  // namespace opgrade_emulation
