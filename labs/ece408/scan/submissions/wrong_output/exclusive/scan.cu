__global__ void scan_all(const float* x, float* y, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = total;
    total += x[i];
  }
}

void scan(const float* x, float* y, int n) { scan_all<<<1, 1>>>(x, y, n); }
