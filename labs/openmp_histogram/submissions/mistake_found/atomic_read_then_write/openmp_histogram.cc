void histogram(const unsigned char* x, unsigned int* counts, int n) {
#pragma omp parallel
  {
    unsigned int own[256] = {0};
#pragma omp for nowait
    for (int i = 0; i < n; ++i) ++own[x[i]];
    for (int b = 0; b < 256; ++b) {
      unsigned int before;
#pragma omp atomic read
      before = counts[b];
#pragma omp atomic write
      counts[b] = before + own[b];
    }
  }
}
