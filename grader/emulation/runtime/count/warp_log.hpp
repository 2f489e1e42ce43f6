/// Puts the accesses of a warp's lanes together again, which run one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "grader/emulation/runtime/count/request.hpp"

namespace opgrade_emulation {

/// The accesses that a warp made since it was last flushed. Lanes that reach the same site by the
/// same calls, in the same rounds of all loops and for the same time share a request.
class WarpLog {
 public:
  /// Lanes follow each other: the next entry is most often the one that came for the lane before.
  struct Cursor {
    std::uint32_t last = kNowhere, next = 0;  ///< most lanes begin with the first entry
  };

  void add(Cursor& cursor, unsigned lane, std::uint64_t path, const AccessSite& site,
           unsigned bytes, std::uintptr_t address) {
    const std::uint32_t bit = 1u << lane;
    std::uint32_t at = cursor.next;
    const bool expected =
        at < entries_.size() && fits(entries_[at], path, site) && (entries_[at].lanes & bit) == 0;
    if (__builtin_expect(!expected, false)) {
      at = find(cursor.last, lane, path, site, bytes);
      if (cursor.last != kNowhere) entries_[cursor.last].follower = at;
    }
    Entry& entry = entries_[at];
    entry.lanes |= bit;
    entry.address[lane] = address;
    cursor.last = at;
    cursor.next = entry.follower;
  }
  /// Hands over each request, and is empty then; cursors start anew.
  void flush(const std::function<void(Request&)>& use);
  std::size_t size() const { return entries_.size(); }

  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

 private:
  struct Entry {
    std::uint64_t path;
    AccessSite site;
    unsigned bytes;
    std::uint32_t lanes = 0;
    std::uint32_t follower = kNowhere;  ///< entry that came behind it last
    std::uint32_t again = kNowhere;     ///< same site and path, another time
    std::uintptr_t address[32];
  };
  struct Slot {
    std::uint32_t round = 0;  ///< taken if it is the log's
    std::uint32_t entry = 0;
  };

  bool fits(const Entry& entry, std::uint64_t path, const AccessSite& site) const {
    return entry.path == path && entry.site == site;
  }
  std::uint32_t find(std::uint32_t last, unsigned lane, std::uint64_t path, const AccessSite& site,
                     unsigned bytes);
  std::uint32_t append(std::uint64_t path, const AccessSite& site, unsigned bytes);
  Slot& slot_of(std::uint64_t path, const AccessSite& site);
  void grow();

  std::vector<Entry> entries_;
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::uint32_t round_ = 1;
};

}  // namespace opgrade_emulation
