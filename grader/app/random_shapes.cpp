#include "grader/app/random_shapes.hpp"

#include <algorithm>
#include <array>

namespace opgrade {

std::vector<ConvShape> random_shapes(int count, std::mt19937_64& random, bool strides) {
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const auto one_of = [&](std::initializer_list<int> values) {
    return values.begin()[draw(0, static_cast<int>(values.size()) - 1)];
  };
  constexpr std::array kKernels{7, 3, 5, 1};
  std::vector<ConvShape> shapes;
  for (int i = 0; i < count; ++i) {
    ConvShape s;
    s.K = i < 4 ? kKernels[static_cast<std::size_t>(i)] : one_of({1, 3, 5, 7});
    s.H = s.K + draw(1, 40);
    do {
      s.W = s.K + draw(1, 40);
    } while (s.W == s.H);
    s.B = i % 3 == 0 ? 1 : one_of({2, 3, 5, 7, 11, 13});
    s.M = i % 4 == 1 ? 1 : draw(2, 20);
    s.C = i % 4 == 2 ? 1 : draw(2, 6);
    // Exactly one output element.
    if (i == 5) s.H = s.W = s.K;
    if (strides) s.S = i < 4 ? 4 - i : draw(1, 4);
    shapes.push_back(s);
  }
  std::shuffle(shapes.begin(), shapes.end(), random);
  return shapes;
}

void fill_random(std::span<float> values, std::mt19937_64& random) {
  // mt19937_64's raw bits: the standard's distributions differ between libraries, and a seed must
  // mean the same values everywhere. 24 bits make a float in [-1, 1) exactly.
  for (float& value : values) {
    const std::uint64_t bits = random();
    value = static_cast<float>(static_cast<std::int64_t>(bits >> 40) - (1 << 23)) / (1 << 23);
    if ((bits & 63) == 0) value *= 16;
    if ((bits & 63) == 1) value /= 1024;
  }
}

}  // namespace opgrade
