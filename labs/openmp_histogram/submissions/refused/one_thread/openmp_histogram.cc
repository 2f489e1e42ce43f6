// #pragma omp parallel for
void histogram(const unsigned char* x, unsigned int* counts, int n) {
  for (int i = 0; i < n; ++i) ++counts[x[i]];
}
