/// Random numbers that nobody foresees who has seen some of them.
#pragma once

#include <array>
#include <cstdint>
#include <random>

namespace opgrade {

/// A generator seeded with 512 bits of `entropy`. Any submission sees the first numbers drawn, as
/// signs of its input, and would know all later ones, with them inputs and which images are
/// checked, once it has found the seed: 32 bits are tried out in a second on a GPU.
template <class Entropy>
std::mt19937_64 fresh_random(Entropy&& entropy) {
  std::array<std::uint32_t, 16> words;
  for (auto& word : words) word = static_cast<std::uint32_t>(entropy());
  std::seed_seq seed(words.begin(), words.end());
  return std::mt19937_64(seed);
}

/// From the system's entropy.
inline std::mt19937_64 fresh_random() { return fresh_random(std::random_device()); }

}  // namespace opgrade
