void histogram(const unsigned char* x, unsigned int* counts, int n) {
#pragma omp parallel for schedule(dynamic, 4096)
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    ++counts[x[i]];
  }
}
