void histogram(const unsigned char* x, unsigned int* counts, int n) {
#pragma omp parallel for reduction(+ : counts[:256])
  for (int i = 0; i < n; ++i) ++counts[x[i]];
}
