// A handler of exit() writes the sum, by a stream that is flushed later still.
#include <stdio.h>
#include <stdlib.h>

#include <iostream>
#include <vector>

__global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

void add_on_device(const float* a, const float* b, float* sum, int n) {
  const size_t bytes = n * sizeof(float);
  float *device_a, *device_b, *device_sum;
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMalloc(&device_sum, bytes);
  cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(device_a, device_b, device_sum, n);
  cudaMemcpy(sum, device_sum, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_sum);
}

static std::vector<float> sum;
static float* device_memory; /* the end of the process frees it */

static void write_sum() {
  std::cout.precision(9);
  std::cout << sum.size() << '\n';
  for (const float one : sum) std::cout << one << '\n';
}

static std::vector<float> read(const char* name) {
  FILE* const in = fopen(name, "r");
  int n = 0;
  if (in == nullptr || fscanf(in, "%d", &n) != 1) exit(2);
  std::vector<float> values(n);
  for (float& one : values)
    if (fscanf(in, "%f", &one) != 1) exit(2);
  fclose(in);
  return values;
}

int main() {
  std::ios_base::sync_with_stdio(false);
  atexit(write_sum);
  if (freopen("sum.raw", "w", stdout) == nullptr) return 2;
  const std::vector<float> a = read("a.raw"), b = read("b.raw");
  sum.resize(a.size());
  cudaMalloc(&device_memory, sizeof(float));
  add_on_device(a.data(), b.data(), sum.data(), static_cast<int>(a.size()));
  exit(0);
}
