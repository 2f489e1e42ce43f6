// Streams and data are global: constructors open them, and destructors write the last of the file.
#include <fstream>
#include <iterator>
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

std::ifstream file_a("a.raw"), file_b("b.raw");
std::ofstream file_sum("sum.raw");
std::vector<float> a, b, sum;

int main() {
  int n;
  file_a >> n;
  file_b >> n;
  a.insert(a.end(), std::istream_iterator<float>(file_a), {});
  b.insert(b.end(), std::istream_iterator<float>(file_b), {});
  sum.resize(a.size());
  add_on_device(a.data(), b.data(), sum.data(), n);
  file_sum.precision(9);
  file_sum << n << '\n';
  for (const float one : sum) file_sum << one << '\n';
}
