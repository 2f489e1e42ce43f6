#include <wb.h>

__global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + a[i];
}

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int n;
  float* const a = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  float* const b = (float*)wbImport(wbArg_getInputFile(args, 1), &n);
  float* const sum = (float*)malloc(n * sizeof(float));
  wbLog(TRACE, "The input length is ", n);

  wbTime_start(GPU, "Copying input memory to the GPU.");
  float *device_a, *device_b, *device_sum;
  cudaMalloc(&device_a, n * sizeof(float));
  cudaMalloc(&device_b, n * sizeof(float));
  cudaMalloc(&device_sum, n * sizeof(float));
  cudaMemcpy(device_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, n * sizeof(float), cudaMemcpyHostToDevice);
  wbTime_stop(GPU, "Copying input memory to the GPU.");

  add<<<(n + 255) / 256, 256>>>(device_a, device_b, device_sum, n);
  cudaMemcpy(sum, device_sum, n * sizeof(float), cudaMemcpyDeviceToHost);
  wbSolution(args, sum, n);

  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_sum);
  free(a);
  free(b);
  free(sum);
  return 0;
}
