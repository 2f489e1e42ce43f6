/// Shapes and data that the reference's tests share.
#pragma once

#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include "reference/conv_shape.hpp"

namespace opgrade {

inline void PrintTo(const ConvShape& s, std::ostream* out) {
  *out << "B=" << s.B << " M=" << s.M << " C=" << s.C << " H=" << s.H << " W=" << s.W
       << " K=" << s.K << " S=" << s.S;
}

namespace test {

/// Odd shapes: each line of outputs shorter than, equal to and just above every vector length
/// (4, 8, 16, and 2 and 4 in double), map counts around the kernels' eight, the layers of the
/// course's networks on small images, and strides above and below K.
inline std::vector<ConvShape> table_shapes() {
  std::vector<ConvShape> shapes;
  for (int w_out : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33, 34, 66})
    shapes.push_back({2, 3, 2, 6, w_out + 2, 3, 1});
  for (int maps : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 50})
    shapes.push_back({1, maps, 2, 9, 21, 4, 1});
  for (int K = 1; K <= 8; ++K) shapes.push_back({1, 5, 3, 11, 13, K, 1});
  for (int S = 1; S <= 5; ++S)
    for (int K : {1, 2, 3, 7}) shapes.push_back({2, 4, 3, 17, 38, K, S});
  shapes.insert(shapes.end(), {
                                  {1, 1, 1, 1, 1, 1, 1},     // one multiplication
                                  {3, 1, 1, 7, 7, 7, 1},     // one output an image
                                  {1, 1, 1, 1, 100, 1, 1},   // one row
                                  {1, 1, 1, 100, 1, 1, 1},   // one column
                                  {1, 9, 5, 40, 3, 3, 1},    // tall and thin
                                  {1, 2, 1, 3, 200, 3, 1},   // flat and wide
                                  {1, 2, 40, 5, 5, 5, 1},    // deep
                                  {1, 3, 2, 10, 10, 3, 9},   // stride beyond the image
                                  {5, 4, 1, 30, 31, 7, 1},   // like the first layer of 86x86
                                  {3, 16, 4, 20, 40, 7, 1},  // like its second
                                  {2, 3, 3, 40, 33, 3, 3},   // like 2023fa's test cases
                              });
  return shapes;
}

/// Shapes drawn from a fixed seed, sizes small enough for the defining loops.
inline std::vector<ConvShape> random_shapes(int count) {
  std::mt19937 random(20261121);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  std::vector<ConvShape> shapes;
  while (static_cast<int>(shapes.size()) < count) {
    const int K = between(1, 7);
    shapes.push_back({between(1, 3), between(1, 20), between(1, 5), K + between(0, 24),
                      K + between(0, 50), K, between(0, 2) ? 1 : between(2, 4)});
  }
  return shapes;
}

inline std::vector<float> random_floats(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& value : values) value = uniform(random);
  return values;
}

/// Whole numbers in [-8, 8]: every sum in these tests is exact in float, in any order.
inline std::vector<float> random_whole(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 17U) - 8);
  return values;
}

}  // namespace test
}  // namespace opgrade
