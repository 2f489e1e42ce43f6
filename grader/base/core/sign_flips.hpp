/// Makes fresh inputs from old ones: every element keeps its magnitude and gets a random sign.
///
/// The convolution of a fresh input cannot be derived from earlier outputs, because each output
/// sums C K K products whose signs are new. Magnitudes, zeros and the scale of the outputs stay,
/// and so do the tolerance and honest times.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/random_words.hpp"

namespace opgrade {

/// True if `seed` flips the sign of element `index`: one random word has the bits of 64 elements.
constexpr bool turns_sign(std::uint64_t seed, std::uint64_t index) {
  return (random_word(seed, index / 64) >> (index % 64) & 1) != 0;
}

/// Flipping twice with the same seed restores the values bit for bit.
inline void flip_signs(std::span<float> values, std::uint64_t seed, int threads) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;  // elements that a thread takes at a time
  parallel_for_pieces(values.size(), kPiece, threads, [&](std::size_t first, std::size_t size) {
    const auto part = values.subspan(first, size);
    for (std::size_t i = 0; i < part.size(); i += 64) {
      const std::uint64_t bits = random_word(seed, (first + i) / 64);
      for (std::size_t j = i; j < std::min(i + 64, part.size()); ++j) {
        const auto sign = static_cast<std::uint32_t>(bits >> (j - i) & 1) << 31;
        part[j] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(part[j]) ^ sign);
      }
    }
  });
}

}  // namespace opgrade
