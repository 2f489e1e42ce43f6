void histogram(const unsigned char* x, unsigned int* counts, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) ++counts[x[i]];
}
