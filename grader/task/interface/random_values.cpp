#include "grader/task/interface/random_values.hpp"

#include <thread>

#include "grader/base/core/parallel.hpp"
#include "grader/base/core/random_words.hpp"

namespace opgrade {

/// Uses mt19937_64's raw bits, because the standard's distributions and its shuffle differ between
/// libraries, and a seed must mean the same everywhere.
int draw(std::mt19937_64& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

int one_of(std::mt19937_64& random, std::initializer_list<int> values) {
  return values.begin()[draw(random, 0, static_cast<int>(values.size()) - 1)];
}

std::mt19937_64 case_random(std::uint64_t seed, std::string_view case_id) {
  constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;
  std::uint64_t hash = kFnvBasis;
  for (const char c : case_id) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  const auto half = [](std::uint64_t bits, int shift) {
    return static_cast<std::uint32_t>(bits >> shift);
  };
  std::seed_seq words{half(seed, 0), half(seed, 32), half(hash, 0), half(hash, 32)};
  return std::mt19937_64(words);
}

void fill_random(std::span<float> values, std::mt19937_64& random) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;  // elements a thread takes at a time
  const std::uint64_t seed = random();
  const auto threads = static_cast<int>(std::thread::hardware_concurrency());
  parallel_for_pieces(values.size(), kPiece, threads, [&](std::size_t first, std::size_t size) {
    const auto part = values.subspan(first, size);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::uint64_t bits = random_word(seed, first + i);
      // 24 bits make a float in [-1, 1) exactly.
      const auto value =
          static_cast<float>(static_cast<std::int32_t>(bits >> 40) - (1 << 23)) / (1 << 23);
      const std::uint64_t scale = bits & 63;
      part[i] = value * (scale == 0 ? 16.0F : scale == 1 ? 1.0F / 1024 : 1.0F);
    }
  });
}

}  // namespace opgrade
