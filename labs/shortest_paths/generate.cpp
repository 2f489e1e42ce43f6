#include "reference.h"

#include <random>

/// From, to and length of each edge. No edge leads back to its own vertex, unless there is one alone.
void generate(unsigned long long seed, int* edges, long long vertices, long long count) {
  std::mt19937_64 random(seed);
  const auto below = [&](long long end) { return static_cast<int>(random() % static_cast<unsigned long long>(end)); };
  for (long long i = 0; i < count; ++i) {
    const int from = below(vertices);
    edges[3 * i] = from;
    edges[3 * i + 1] = vertices == 1 ? 0 : (from + 1 + below(vertices - 1)) % static_cast<int>(vertices);
    edges[3 * i + 2] = below(1001);
  }
}
