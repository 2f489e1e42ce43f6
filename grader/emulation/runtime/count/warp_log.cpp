#include "grader/emulation/runtime/count/warp_log.hpp"

namespace opgrade_emulation {
namespace {

std::uint64_t hash(std::uint64_t path, AccessSite site) {
  std::uint64_t h = path ^ site.word() * 0x9e3779b97f4a7c15u;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return h ^ h >> 32;
}

}  // namespace

std::uint32_t WarpLog::find(unsigned lane, std::uint64_t path, AccessSite site, unsigned bytes,
                            const LoopRound& loop) {
  Slot& slot = slot_of(path, site);
  if (slot.round != round_) {
    slot = {round_, static_cast<std::uint32_t>(keys_.size())};
    return append(path, site, bytes, loop);
  }
  // A lane that repeats an access goes on behind its last one.
  const std::uint32_t first = slot.entry;
  std::uint32_t at = entries_[first].lane == lane ? entries_[first].recent : first;
  while ((keys_[at].lanes >> lane & 1u) != 0) {
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

std::uint32_t WarpLog::append(std::uint64_t path, AccessSite site, unsigned bytes,
                              const LoopRound& loop) {
  keys_.push_back({path, site, 0, kNowhere});
  entries_.push_back({.bytes = bytes, .loop = loop});
  addresses_.emplace_back();
  if (keys_.size() * 2 > slots_.size()) grow();
  return static_cast<std::uint32_t>(keys_.size() - 1);
}

WarpLog::Slot& WarpLog::slot_of(std::uint64_t path, AccessSite site) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash(path, site) & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.round != round_ || fits(keys_[slot.entry], path, site)) return slot;
  }
}

void WarpLog::grow() {
  std::vector<Slot> before(slots_.size() * 2);
  before.swap(slots_);
  for (const Slot& slot : before) {
    if (slot.round != round_) continue;
    slot_of(keys_[slot.entry].path, keys_[slot.entry].site) = slot;
  }
}

bool WarpLog::continues(std::uint32_t entry, std::uint32_t first) const {
  const unsigned members = entries_[first].members;
  if (keys_[entry].lanes != keys_[first].lanes || members >= 4) return false;
  const std::uintptr_t needed = members == 1 ? 8 : 16;
  for (std::uint32_t rest = keys_[entry].lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uintptr_t begin = addresses_[first][lane];
    if (addresses_[entry][lane] != begin + 4 * members || begin % needed != 0) return false;
  }
  return true;
}

void WarpLog::merge_loads() {
  std::uint32_t stored = 0;  // loads are not moved over a store
  for (std::uint32_t i = 1; i < keys_.size(); ++i) {
    const AccessSite site = keys_[i].site;
    Entry& entry = entries_[i];
    if (site.space() != Space::shared) continue;
    if (site.use() != Use::load) stored = i;
    if (site.use() != Use::load || entry.bytes != 4 || entry.loop.key == 0 ||
        entry.loop.path() != keys_[i].path)
      continue;
    entry.group = i;
    if (entry.loop.round == 0) continue;
    const LoopRound last{entry.loop.key, entry.loop.round - 1};
    const Slot& before = slot_of(last.path(), site);
    if (before.round != round_ || before.entry >= i) continue;
    const std::uint32_t group = entries_[before.entry].group;
    if (group == kNowhere || group < stored || !continues(i, group)) continue;
    entry.group = group;
    ++entries_[group].members;
  }
}

void WarpLog::clear() {
  keys_.assign(1, {0, {nullptr, Space::global, Use::load}, 0, kNowhere});
  entries_.assign(1, {});
  addresses_.resize(1);
  ++round_;
}

}  // namespace opgrade_emulation
