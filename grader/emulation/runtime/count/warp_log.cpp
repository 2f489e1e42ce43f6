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
  if (is_predicted(path, site, false)) return append(bytes, loop);
  const Slot& slot = slot_of(path, site);
  if (slot.round != round_ || slot.entry >= size_) {
    replace_predicted(path, site, false);
    return append(bytes, loop);
  }
  // A lane that repeats an access continues behind its last entry.
  const std::uint32_t first = slot.entry;
  std::uint32_t at = entries_[first].lane == lane ? entries_[first].recent : first;
  while ((keys_[at].lanes >> lane & 1u) != 0) {
    if (entries_[at].again == kNowhere) {
      if (!is_predicted(path, site, true)) replace_predicted(path, site, true);
      const std::uint32_t fresh = append(bytes, loop);
      entries_[at].again = fresh;
    }
    at = entries_[at].again;
  }
  entries_[first].lane = lane;
  entries_[first].recent = at;
  return at;
}

std::uint32_t WarpLog::append(unsigned bytes, const LoopRound& loop) {
  keys_[size_].lanes = 0;
  Entry& entry = entries_[size_];
  entry.loop = loop;
  entry.bytes = bytes;
  entry.again = entry.recent = entry.group = kNowhere;
  entry.lane = 32;
  entry.members = 1;
  return size_++;
}

void WarpLog::replace_predicted(std::uint64_t path, AccessSite site, bool repeats) {
  if (size_ < predicted_) {
    predicted_ = size_;
    fill_slots();
  }
  if (size_ == keys_.size()) {
    keys_.emplace_back();
    entries_.emplace_back();
    addresses_.emplace_back();
  }
  keys_[size_] = {path, site, kAll, kNowhere};
  entries_[size_].repeats = repeats;
  ++predicted_;
  if (predicted_ * 2 > slots_.size()) {
    slots_.resize(slots_.size() * 2);
    fill_slots();
  } else if (!repeats) {
    slot_of(path, site) = {round_, size_};
  }
}

WarpLog::Slot& WarpLog::slot_of(std::uint64_t path, AccessSite site) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash(path, site) & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.round != round_ || fits(keys_[slot.entry], path, site)) return slot;
  }
}

void WarpLog::fill_slots() {
  ++round_;
  for (std::uint32_t i = 1; i < predicted_; ++i)
    if (!entries_[i].repeats) slot_of(keys_[i].path, keys_[i].site) = {round_, i};
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
  std::uint32_t stored = 0;  // loads are not merged across a store
  for (std::uint32_t i = 1; i < size_; ++i) {
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

}  // namespace opgrade_emulation
