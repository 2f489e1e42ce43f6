#include <algorithm>
#include <vector>

void histogram(const unsigned char* x, unsigned int* counts, int n) {
  const int parts = 8;
  std::vector<unsigned int> own(parts * 256);
#pragma omp parallel
#pragma omp single
  {
    for (int part = 0; part < parts; ++part) {
#pragma omp task shared(own)
      for (long i = long(n) * part / parts; i < long(n) * (part + 1) / parts; ++i)
        ++own[part * 256 + x[i]];
    }
#pragma omp taskwait
    for (int i = 0; i < parts * 256; ++i) counts[i % 256] += own[i];
  }
}
