/* Sorts in descending order: values, or values by their keys. */
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

/// Sorts the values from `first` to `last`, both included.
template <class T>
void wbSort(T* values, int first, int last) {
  if (first < last) std::sort(values + first, values + last + 1, std::greater<T>());
}
template <class T>
void wbSort(T* values, int length) {
  wbSort(values, 0, length - 1);
}
template <class T, class K>
void wbSortByKey(T* values, K* keys, int first, int last) {
  typedef std::pair<K, T> Pair;
  std::vector<Pair> pairs;
  for (int i = first; i <= last; ++i) pairs.emplace_back(keys[i], values[i]);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return b.first < a.first; });
  for (int i = first; i <= last; ++i) {
    keys[i] = pairs[static_cast<size_t>(i - first)].first;
    values[i] = pairs[static_cast<size_t>(i - first)].second;
  }
}
template <class T, class K>
void wbSortByKey(T* values, K* keys, int length) {
  wbSortByKey(values, keys, 0, length - 1);
}
