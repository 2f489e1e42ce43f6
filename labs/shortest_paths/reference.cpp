#include "reference.h"

#include <algorithm>

void reference(const int* edges, long long* distances, long long vertices, long long count) {
  constexpr long long kFar = (1LL << 30) - 1;
  std::fill(distances, distances + vertices * vertices, kFar);
  for (long long i = 0; i < vertices; ++i) distances[i * vertices + i] = 0;
  for (long long i = 0; i < count; ++i) {
    long long& length = distances[edges[3 * i] * vertices + edges[3 * i + 1]];
    length = std::min<long long>(length, edges[3 * i + 2]);
  }
  for (long long k = 0; k < vertices; ++k)
    for (long long i = 0; i < vertices; ++i) {
      const long long to_k = distances[i * vertices + k];
      if (to_k == kFar) continue;
      for (long long j = 0; j < vertices; ++j)
        distances[i * vertices + j] = std::min(distances[i * vertices + j], to_k + distances[k * vertices + j]);
    }
}
