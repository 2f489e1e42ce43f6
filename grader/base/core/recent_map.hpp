/// A map of bounded size that keeps the most recently used entries: for results that can be
/// recomputed.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

namespace opgrade {

/// Holds at least the last `kept` keys that were found or added, and at most twice as many. If the
/// newer half is full, it becomes the older half. Older entries that are not found again are
/// dropped.
template <class Key, class Value>
class RecentMap {
 public:
  explicit RecentMap(std::size_t kept) : kept_(kept) {}

  /// The pointer is valid until the next call; nullptr if the key is unknown.
  const Value* find(const Key& key) {
    if (const auto found = newer_.find(key); found != newer_.end()) return &found->second;
    const auto found = older_.find(key);
    if (found == older_.end()) return nullptr;
    Value value = std::move(found->second);
    older_.erase(found);
    return &add(key, std::move(value));
  }
  /// Does not replace an existing entry.
  const Value& add(const Key& key, Value value) {
    if (newer_.size() >= kept_ && !newer_.contains(key)) older_ = std::exchange(newer_, {});
    return newer_.emplace(key, std::move(value)).first->second;
  }
  std::size_t size() const { return newer_.size() + older_.size(); }

 private:
  const std::size_t kept_;
  std::map<Key, Value> newer_, older_;
};

}  // namespace opgrade
