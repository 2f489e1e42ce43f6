/// Whether two tensors in different memories hold the same bits, without copying one to the other.
///
/// The sum over all elements of bits(element) * random_word(key, index) modulo 2^64, which is
/// multilinear hashing: for any two tensors that differ, it is the same for at most one key in 2^32
/// (a difference of at most 2^32 times a word uniform in 2^64). Who does not know the key, drawn
/// for each comparison, cannot do better than that.
#pragma once

#include <cstdint>
#include <span>

#include "grader/core/random_words.hpp"

namespace opgrade {

constexpr std::uint64_t keyed_term(std::uint64_t key, std::uint64_t index, std::uint32_t bits) {
  return bits * random_word(key, index);
}

/// On up to `threads` threads.
std::uint64_t keyed_sum(std::span<const float> values, std::uint64_t key, int threads);

}  // namespace opgrade
