/// Random words by index: the same on a processor and on a device, with no generator state.
#pragma once

#include <cstdint>

namespace opgrade {

/// The word `index` of the sequence that `seed` names (splitmix64's mixing, public domain).
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace opgrade
