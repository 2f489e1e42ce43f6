/// Puts the accesses of a warp's lanes together again, which run one after another.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
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
    std::uint32_t last = kNowhere;
    std::size_t next = kNowhere;  // stored alone: g++ packs neighbours of a type into a register
  };

  /// False where the access is not the expected one, which add() then takes.
  bool add_expected(Cursor& cursor, unsigned lane, std::uint64_t path, AccessSite site,
                    std::uintptr_t address) {
    const std::size_t at = cursor.next;
    Key& key = keys_[at];
    if (!fits(key, path, site) || (key.lanes >> lane & 1u) != 0) return false;
    key.lanes |= 1u << lane;
    addresses_[at][lane] = address;
    cursor.last = static_cast<std::uint32_t>(at);
    cursor.next = key.follower;
    return true;
  }
  void add(Cursor& cursor, unsigned lane, std::uint64_t path, AccessSite site, unsigned bytes,
           std::uintptr_t address, const LoopRound& loop) {
    const std::uint32_t at = find(lane, path, site, bytes, loop);
    keys_[cursor.last].follower = at;
    cursor.next = at;
    add_expected(cursor, lane, path, site, address);
  }
  /// Hands over each request, and is empty then; cursors start anew. Loads of neighbouring words of
  /// shared memory in successive rounds of an unrolled loop are one request of 8 or 16 bytes where
  /// all lanes are aligned for it, as ptxas merges them (LDS.64, LDS.128).
  template <class F>
  void flush(F&& use) {
    merge_loads();
    for (std::uint32_t i = 1; i < size_; ++i) {
      const Entry& entry = entries_[i];
      const std::uint32_t lanes = std::exchange(keys_[i].lanes, kAll);
      if (entry.group != kNowhere && entry.group != i) continue;
      for (unsigned done = 0;;) {
        const unsigned words = entry.members - done == 3 ? 2 : entry.members - done;
        use(Request{keys_[i].site, entry.bytes * words, lanes, addresses_[i]});
        done += words;
        if (done == entry.members) break;
        for (std::uintptr_t& address : addresses_[i]) address += words * entry.bytes;
      }
    }
    size_ = 1;
  }
  bool empty() const { return size_ == 1; }
  /// Some 20 MB. A warp that does more without a barrier is flushed in between: lanes that run
  /// later then make requests of their own.
  bool full() const { return size_ > 1 << 16; }

 private:
  static constexpr std::uint32_t kNowhere = 0;  ///< the first entry, which fits no access
  static constexpr std::uint32_t kAll = ~0u;    ///< an entry that takes no lane
  struct Key {
    std::uint64_t path = 0;
    AccessSite site{nullptr, Space::global, Use::load};
    std::uint32_t lanes = kAll;
    std::uint32_t follower = kNowhere;  ///< entry that came behind it last
  };
  struct Entry {
    LoopRound loop;
    unsigned bytes = 0;
    bool repeats = false;             ///< same site and path as one before it
    std::uint32_t again = kNowhere;   ///< the next of these
    std::uint32_t recent = kNowhere;  ///< of the first of these: the one that `lane` used last
    unsigned lane = 32;
    std::uint32_t group = kNowhere;  ///< the first of loads that are merged
    unsigned members = 1;            ///< of that group
  };
  struct Slot {
    std::uint32_t round = 0;  ///< taken if it is the log's
    std::uint32_t entry = 0;
  };

  static bool fits(const Key& key, std::uint64_t path, AccessSite site) {
    return key.path == path && key.site == site;
  }
  std::uint32_t find(unsigned lane, std::uint64_t path, AccessSite site, unsigned bytes,
                     const LoopRound& loop);
  bool is_predicted(std::uint64_t path, AccessSite site, bool repeats) const {
    return size_ < predicted_ && entries_[size_].repeats == repeats &&
           fits(keys_[size_], path, site);
  }
  /// Takes the entry behind the last one, whose key is there.
  std::uint32_t append(unsigned bytes, const LoopRound& loop);
  void replace_predicted(std::uint64_t path, AccessSite site, bool repeats);
  void merge_loads();
  bool continues(std::uint32_t entry, std::uint32_t first) const;
  Slot& slot_of(std::uint64_t path, AccessSite site);
  void fill_slots();

  /// The next warp most often makes the same accesses in the same order. Keys and slots of the
  /// flush before, from size_ up to predicted_, therefore stay until an access is another one.
  std::uint32_t size_ = 1, predicted_ = 1;
  std::vector<Key> keys_{1};
  std::vector<Entry> entries_{1};
  std::vector<std::array<std::uintptr_t, 32>> addresses_{1};
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::uint32_t round_ = 1;
};

}  // namespace opgrade_emulation
