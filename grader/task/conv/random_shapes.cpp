#include "grader/task/conv/random_shapes.hpp"

#include <algorithm>
#include <utility>

#include "grader/task/interface/random_values.hpp"

namespace opgrade {
namespace {

bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

/// A shape of this kind. Kinds differ in the sizes of the output, because kernels are tiled over
/// these.
ConvShape shape_of_kind(int kind, std::mt19937_64& random) {
  const auto any = [&](std::initializer_list<int> values) { return one_of(random, values); };
  const int B = any({2, 3, 5, 7, 11, 13});
  const int M = draw(random, 2, 7), C = draw(random, 2, 5);
  const auto shape = [](int b, int m, int c, int h_out, int w_out, int k) {
    return ConvShape{.B = b, .M = m, .C = c, .H = h_out, .W = w_out, .K = k};
  };
  switch (kind) {
    case 0:  // a single wide image
      return shape(1, any({5, 9, 17}), C, draw(random, 3, 7), draw(random, 35, 47), 7);
    case 1:  // tall images, one map
      return shape(B, 1, C, draw(random, 35, 47), draw(random, 3, 7), 3);
    case 2:  // one more than whole tiles; one channel, maps beyond a tile of 16
      return shape(B, any({17, 19, 23}), 1, any({17, 33}), any({9, 25}), 5);
    case 3:  // one less than whole tiles, a single image
      return shape(1, M, any({3, 5, 7}), any({15, 31}), any({7, 23}), 1);
    case 4:  // smaller than any tile, more maps than a warp has threads
      return shape(B, any({33, 35, 37}), C, any({2, 3, 5}), any({4, 6, 7}), any({3, 5, 7}));
    case 5:  // one output element
      return shape(B, M, C, 1, 1, any({3, 5, 7}));
    case 6:  // whole tiles
      return shape(any({2, 3}), any({8, 16}), any({2, 4}), any({16, 32}), any({8, 24}), 3);
    case 7:  // between tiles of 32 and 48
      return shape(any({3, 5}), any({2, 3}), 5, draw(random, 34, 39), draw(random, 41, 46), 7);
    default: {
      const int h_out = draw(random, 2, 40);
      const int w_out = draw(random, 2, 40);
      return shape(draw(random, 0, 2) == 0 ? 1 : B, draw(random, 1, 20), draw(random, 1, 6), h_out,
                   w_out == h_out ? w_out + 1 : w_out, any({1, 3, 5, 7}));
    }
  }
}

}  // namespace

std::vector<ConvShape> random_shapes(int count, std::mt19937_64& random, bool strides) {
  std::vector<ConvShape> shapes;
  for (int i = 0; i < count; ++i) {
    ConvShape s = shape_of_kind(i, random);
    if (strides) s.S = i < 4 ? 4 - i : draw(random, 1, 4);
    // H and W are still the sizes of the output here.
    for (int* size : {&s.H, &s.W})
      *size = (*size - 1) * s.S + s.K + (s.S > 1 ? draw(random, 0, s.S - 1) : 0);
    shapes.push_back(s);
  }
  for (int i = count - 1; i > 0; --i) {
    std::swap(shapes[static_cast<std::size_t>(i)],
              shapes[static_cast<std::size_t>(draw(random, 0, i))]);
  }
  return shapes;
}

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
    const int round = i / n;
    int batch = round == 0   ? 1
                : round == 1 ? one_of(random, {3, 5, 7})
                : round == 2 ? one_of(random, {11, 13, 17})
                : round == 3 ? most
                             : draw(random, 2, most);
    while (batch > 1 && !is_prime(batch)) --batch;
    layer.shape.B = batch;
    chosen.push_back(std::move(layer));
  }
  return chosen;
}

}  // namespace opgrade
