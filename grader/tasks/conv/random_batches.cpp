#include "grader/tasks/conv/random_batches.hpp"

#include <algorithm>
#include <utility>

#include "grader/task/random_values.hpp"

namespace opgrade {
namespace {

bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

}  // namespace

std::vector<ConvLayer> random_batches(const std::vector<ConvLayer>& layers, int count, double flops,
                                      std::mt19937_64& random) {
  constexpr int kLeast = 17, kMost = 1499;
  std::vector<ConvLayer> chosen;
  const int n = static_cast<int>(layers.size());
  for (int i = 0; i < count; ++i) {
    ConvLayer layer = layers[static_cast<std::size_t>(i % n)];
    layer.shape.B = 1;
    const int most =
        static_cast<int>(std::clamp<double>(flops / layer.shape.flops(), kLeast, kMost));
    int batch = 1;
    switch (i / n) {
      case 0:
        break;
      case 1:
        batch = one_of(random, {3, 5, 7});
        break;
      case 2:
        batch = one_of(random, {11, 13, 17});
        break;
      case 3:
        batch = most;
        break;
      default:
        batch = draw(random, 2, most);
    }
    while (batch > 1 && !is_prime(batch)) --batch;
    layer.shape.B = batch;
    chosen.push_back(std::move(layer));
  }
  return chosen;
}

}  // namespace opgrade
