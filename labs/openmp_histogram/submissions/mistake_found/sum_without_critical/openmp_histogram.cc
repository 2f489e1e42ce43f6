void histogram(const unsigned char* x, unsigned int* counts, int n) {
#pragma omp parallel
  {
    unsigned int own[256] = {};
#pragma omp for nowait
    for (int i = 0; i < n; ++i) ++own[x[i]];
    for (int value = 0; value < 256; ++value) counts[value] += own[value];
  }
}
