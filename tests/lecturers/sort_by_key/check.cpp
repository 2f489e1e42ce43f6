#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "reference.h"

// The pairs must be those of the input, in any order: keys_after is compared with the reference's.
const char* check(const uint32_t* keys, const uint32_t* keys_after, const uint32_t* values,
                  const uint32_t* values_after, long long n) {
  using Pair = std::pair<uint32_t, uint32_t>;
  std::vector<Pair> expected(n);
  std::vector<Pair> got(n);
  for (long long i = 0; i < n; ++i) {
    expected[i] = {keys[i], values[i]};
    got[i] = {keys_after[i], values_after[i]};
  }
  std::sort(expected.begin(), expected.end());
  std::sort(got.begin(), got.end());
  const auto different = std::mismatch(expected.begin(), expected.end(), got.begin());
  if (different.first == expected.end()) return nullptr;
  static char text[200];
  std::snprintf(text, sizeof text,
                "the pair (key %u, value %u) of the input is missing or comes too rarely: a value "
                "does not stand at its key",
                different.first->first, different.first->second);
  // The smaller one of two sorted lists' first difference is missing in the other list.
  if (*different.second < *different.first) {
    std::snprintf(
        text, sizeof text,
        "the pair (key %u, value %u) is not in the input, or comes too often: a value does "
        "not stand at its key",
        different.second->first, different.second->second);
  }
  return text;
}
