/// Compares two tensors in different memories bit for bit, without copying one to the other.
///
/// The sum over all elements of bits(element) * random_word(key, index) modulo 2^64 is multilinear
/// hashing. Two tensors that differ have the same sum for at most one key in 2^32. (Their
/// difference is at most 2^32, times a word uniform in 2^64.) The key is drawn for each comparison,
/// so no submission can do better.
#pragma once

#include <cstdint>
#include <span>

#include "grader/base/core/random_words.hpp"

namespace opgrade {

constexpr std::uint64_t keyed_term(std::uint64_t key, std::uint64_t index, std::uint32_t bits) {
  return bits * random_word(key, index);
}

/// Runs on up to `threads` threads.
std::uint64_t keyed_sum(std::span<const float> values, std::uint64_t key, int threads);

}  // namespace opgrade
