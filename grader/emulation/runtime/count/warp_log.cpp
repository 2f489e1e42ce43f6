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

std::uint32_t WarpLog::find(unsigned lane, std::uint64_t path, const AccessSite& site,
                            unsigned bytes, const LoopRound& loop) {
  Slot& slot = slot_of(path, site);
  if (slot.round != round_) {
    slot = {round_, static_cast<std::uint32_t>(entries_.size())};
    return append(path, site, bytes, loop);
  }
  // A lane that repeats an access goes on behind its last one.
  const std::uint32_t first = slot.entry;
  std::uint32_t at = entries_[first].lane == lane ? entries_[first].recent : first;
  while ((entries_[at].lanes >> lane & 1u) != 0) {
    if (entries_[at].again == kNowhere) {
      const std::uint32_t fresh = append(path, site, bytes, loop);
      entries_[at].again = fresh;
    }
    at = entries_[at].again;
  }
  entries_[first].lane = lane;
  entries_[first].recent = at;
  return at;
}

std::uint32_t WarpLog::append(std::uint64_t path, const AccessSite& site, unsigned bytes,
                              const LoopRound& loop) {
  Entry entry;
  entry.loop = loop;
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

bool WarpLog::continues(const Entry& entry, const Entry& first) const {
  if (entry.lanes != first.lanes || first.members >= 4) return false;
  const std::uintptr_t needed = first.members == 1 ? 8 : 16;
  for (std::uint32_t rest = entry.lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (entry.address[lane] != first.address[lane] + 4 * first.members ||
        first.address[lane] % needed != 0)
      return false;
  }
  return true;
}

void WarpLog::merge_loads() {
  std::uint32_t stored = 0;  // loads are not moved over a store
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.site.space != Space::shared) continue;
    if (entry.site.use != Use::load) stored = i;
    if (entry.site.use != Use::load || entry.bytes != 4 || entry.loop.key == 0 ||
        entry.loop.path() != entry.path)
      continue;
    entry.group = i;
    if (entry.loop.round == 0) continue;
    const LoopRound last{entry.loop.key, entry.loop.round - 1};
    const Slot& before = slot_of(last.path(), entry.site);
    if (before.round != round_ || before.entry >= i) continue;
    const std::uint32_t group = entries_[before.entry].group;
    if (group == kNowhere || group < stored || !continues(entry, entries_[group])) continue;
    entry.group = group;
    ++entries_[group].members;
  }
}

void WarpLog::flush(const std::function<void(Request&)>& use) {
  merge_loads();
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.group != kNowhere && entry.group != i) continue;
    for (unsigned done = 0; done < entry.members;) {
      const unsigned words = entry.members - done == 3 ? 2 : entry.members - done;
      Request request{entry.site, entry.bytes * words, 0, entry.lanes, {}};
      for (std::uint32_t rest = entry.lanes; rest != 0; rest &= rest - 1)
        request.address[request.lanes++] = entry.address[__builtin_ctz(rest)] + done * entry.bytes;
      use(request);
      done += words;
    }
  }
  entries_.clear();
  ++round_;
}

}  // namespace opgrade_emulation
