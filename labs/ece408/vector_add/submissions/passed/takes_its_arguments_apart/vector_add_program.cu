// getopt() keeps its state between calls, and strtok() writes into argv.
#include <string.h>
#include <unistd.h>

#include <fstream>
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

int main(int argc, char** argv) {
  const char *name_a = nullptr, *name_b = nullptr, *name_sum = nullptr;
  for (int option; (option = getopt(argc, argv, "e:i:o:t:")) != -1;) {
    if (option == 'i') {
      name_a = strtok(optarg, ",");
      name_b = strtok(nullptr, ",");
    }
    if (option == 'o') name_sum = optarg;
  }
  if (argv[argc] != nullptr || name_b == nullptr || name_sum == nullptr) return 1;
  std::ifstream file_a(name_a), file_b(name_b);
  int n;
  file_a >> n;
  file_b >> n;
  std::vector<float> a(n), b(n), sum(n);
  for (float& one : a) file_a >> one;
  for (float& one : b) file_b >> one;
  add_on_device(a.data(), b.data(), sum.data(), n);
  std::ofstream out(name_sum);
  out.precision(9);
  out << n << '\n';
  for (const float one : sum) out << one << '\n';
  return 0;
}
