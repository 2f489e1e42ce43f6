#include "grader/task/random_values.hpp"

namespace opgrade {

/// mt19937_64's raw bits: the standard's distributions and its shuffle differ between libraries,
/// and a seed must mean the same everywhere.
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
  // 24 bits make a float in [-1, 1) exactly.
  for (float& value : values) {
    const std::uint64_t bits = random();
    value = static_cast<float>(static_cast<std::int64_t>(bits >> 40) - (1 << 23)) / (1 << 23);
    if ((bits & 63) == 0) value *= 16;
    if ((bits & 63) == 1) value /= 1024;
  }
}

}  // namespace opgrade
