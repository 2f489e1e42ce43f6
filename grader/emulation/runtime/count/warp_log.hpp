/// Combines the accesses of a warp's lanes into requests, because the lanes run one after another.
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

/// The round of the innermost loop whose bound the compiler knows, because it unrolls that loop.
/// key is 0 outside of such loops.
struct LoopRound {
  std::uint64_t key = 0;
  unsigned round = 0;

  /// The path of accesses in this round.
  std::uint64_t path() const { return round == 0 ? key : deeper(key, round); }
};

/// The accesses of a warp since the last flush. Lanes that reach the same site by the same calls,
/// in the same rounds of all loops and equally often, share a request.
class WarpLog {
 public:
  /// Lanes run one after another, so the next entry is most often the one that followed for the
  /// previous lane.
  struct Cursor {
    std::uint32_t last = kNowhere;
    std::size_t next = kNowhere;  // stored alone: g++ packs neighbours of a type into a register
  };

  /// Returns false if the access is not the expected one; then call add().
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
  /// Passes each request to `use`, then clears the log; cursors start anew. Loads of neighbouring
  /// words of shared memory in successive rounds of an unrolled loop become one request of 8 or 16
  /// bytes if all lanes are aligned for it, as ptxas merges them (LDS.64, LDS.128).
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
  /// At some 20 MB. A warp that makes more accesses without a barrier is flushed early, and lanes
  /// that run later make requests of their own.
  bool full() const { return size_ > 1 << 16; }

 private:
  static constexpr std::uint32_t kNowhere = 0;  ///< the first entry, which fits no access
  static constexpr std::uint32_t kAll = ~0u;    ///< an entry that takes no lane
  struct Key {
    std::uint64_t path = 0;
    AccessSite site{nullptr, Space::global, Use::load};
    std::uint32_t lanes = kAll;
    std::uint32_t follower = kNowhere;  ///< entry that followed this one last
  };
  struct Entry {
    LoopRound loop;
    unsigned bytes = 0;
    bool repeats = false;             ///< an earlier entry has the same site and path
    std::uint32_t again = kNowhere;   ///< the next entry with the same site and path
    std::uint32_t recent = kNowhere;  ///< in the first such entry: the one that `lane` used last
    unsigned lane = 32;
    std::uint32_t group = kNowhere;  ///< first entry of a group of merged loads
    unsigned members = 1;            ///< number of entries in that group
  };
  struct Slot {
    std::uint32_t round = 0;  ///< the slot is taken if this equals round_
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
  /// Adds the entry behind the last one; its key is set already.
  std::uint32_t append(unsigned bytes, const LoopRound& loop);
  void replace_predicted(std::uint64_t path, AccessSite site, bool repeats);
  void merge_loads();
  bool continues(std::uint32_t entry, std::uint32_t first) const;
  Slot& slot_of(std::uint64_t path, AccessSite site);
  void fill_slots();

  /// The next warp most often makes the same accesses in the same order. Therefore keys and slots
  /// of the previous flush, from size_ up to predicted_, stay until an access differs.
  std::uint32_t size_ = 1, predicted_ = 1;
  std::vector<Key> keys_{1};
  std::vector<Entry> entries_{1};
  std::vector<std::array<std::uintptr_t, 32>> addresses_{1};
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::uint32_t round_ = 1;
};

}  // namespace opgrade_emulation
