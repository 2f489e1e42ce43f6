#include "grader/emulation/runtime/count/warp_log.hpp"

namespace opgrade_emulation {
namespace {

std::uint64_t hash(std::uint64_t path, const AccessSite& site) {
  std::uint64_t h = path ^ reinterpret_cast<std::uintptr_t>(site.site) * 0x9e3779b97f4a7c15u ^
                    static_cast<std::uint64_t>(site.space) << 8 ^
                    static_cast<std::uint64_t>(site.use) << 16;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return h ^ h >> 32;
}

}  // namespace

std::uint32_t WarpLog::find(std::uint32_t last, unsigned lane, std::uint64_t path,
                            const AccessSite& site, unsigned bytes) {
  Slot& slot = slot_of(path, site);
  if (slot.round != round_) {
    slot = {round_, static_cast<std::uint32_t>(entries_.size())};
    return append(path, site, bytes);
  }
  // A lane that repeats an access goes on behind its last one.
  const bool repeats = last != kNowhere && fits(entries_[last], path, site);
  for (std::uint32_t at = repeats ? last : slot.entry;; at = entries_[at].again) {
    if ((entries_[at].lanes >> lane & 1u) == 0) return at;
    if (entries_[at].again != kNowhere) continue;
    const std::uint32_t fresh = append(path, site, bytes);
    entries_[at].again = fresh;
    return fresh;
  }
}

std::uint32_t WarpLog::append(std::uint64_t path, const AccessSite& site, unsigned bytes) {
  Entry entry;
  entry.path = path;
  entry.site = site;
  entry.bytes = bytes;
  entries_.push_back(entry);
  if (entries_.size() * 2 > slots_.size()) grow();
  return static_cast<std::uint32_t>(entries_.size() - 1);
}

WarpLog::Slot& WarpLog::slot_of(std::uint64_t path, const AccessSite& site) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash(path, site) & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.round != round_ || fits(entries_[slot.entry], path, site)) return slot;
  }
}

void WarpLog::grow() {
  std::vector<Slot> before(slots_.size() * 2);
  before.swap(slots_);
  for (const Slot& slot : before) {
    if (slot.round != round_) continue;
    const Entry& entry = entries_[slot.entry];
    slot_of(entry.path, entry.site) = slot;
  }
}

void WarpLog::flush(const std::function<void(Request&)>& use) {
  for (const Entry& entry : entries_) {
    Request request{entry.site, entry.bytes, 0, entry.lanes, {}};
    for (std::uint32_t rest = entry.lanes; rest != 0; rest &= rest - 1)
      request.address[request.lanes++] = entry.address[__builtin_ctz(rest)];
    use(request);
  }
  entries_.clear();
  ++round_;
}

}  // namespace opgrade_emulation
