// The file is right, but the process ends by a signal: its last destructor gives up.
#include <stdlib.h>
#include <wb.h>

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

static struct Last {
  ~Last() { abort(); }
} last;

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int n;
  float* const a = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  float* const b = (float*)wbImport(wbArg_getInputFile(args, 1), &n);
  std::vector<float> sum(n);
  add_on_device(a, b, sum.data(), n);
  wbSolution(args, sum.data(), n);
  free(a);
  free(b);
  return 0;
}
