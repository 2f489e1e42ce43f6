// quick_exit() has handlers of its own, and no destructor runs.
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

static wbArg_t args;
static std::vector<float> sum;

int main(int argc, char** argv) {
  args = wbArg_read(argc, argv);
  at_quick_exit([] { wbSolution(args, sum.data(), static_cast<int>(sum.size())); });
  int n;
  float* const a = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  float* const b = (float*)wbImport(wbArg_getInputFile(args, 1), &n);
  sum.resize(n);
  add_on_device(a, b, sum.data(), n);
  free(a);
  free(b);
  quick_exit(0);
}
