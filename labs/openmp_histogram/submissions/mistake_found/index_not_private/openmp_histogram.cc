void histogram(const unsigned char* x, unsigned int* counts, int n) {
  int value;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    value = x[i];
#pragma omp atomic
    ++counts[value];
  }
}
