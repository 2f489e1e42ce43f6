/// Whether two tensors in different memories hold the same bits, without copying one to the other.
///
/// The sum over all elements of bits(element) * random_word(key, index) modulo 2^64, which is
/// multilinear hashing: for any two tensors that differ, it is the same for at most one key in 2^32
/// (a difference of at most 2^32 times a word uniform in 2^64). Who does not know the key, drawn for
/// each comparison, cannot do better than that.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "grader/core/parallel.hpp"
#include "grader/core/random_words.hpp"

namespace opgrade {

constexpr std::uint64_t keyed_term(std::uint64_t key, std::uint64_t index, std::uint32_t bits) {
  return bits * random_word(key, index);
}

inline std::uint64_t keyed_sum(std::span<const float> values, std::uint64_t key, int threads) {
  constexpr std::size_t kPiece = std::size_t{256} << 10;  // elements a thread takes at a time
  std::atomic<std::uint64_t> sum{0};
  parallel_for(static_cast<int>((values.size() + kPiece - 1) / kPiece), threads, [&](int piece) {
    const std::size_t begin = static_cast<std::size_t>(piece) * kPiece;
    const std::size_t end = std::min(begin + kPiece, values.size());
    std::uint64_t part = 0;
    for (std::size_t i = begin; i < end; ++i)
      part += keyed_term(key, i, std::bit_cast<std::uint32_t>(values[i]));
    sum += part;
  });
  return sum;
}

}  // namespace opgrade
