#include <wb.h>

__global__ void add(float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += b[i];
}

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int n;
  float* const a = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  float* const b = (float*)wbImport(wbArg_getInputFile(args, 1), &n);
  const size_t bytes = n * sizeof(float);
  float *device_a, *device_b;
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
  add<<<(n + 127) / 128, 128>>>(device_a, device_b, n);
  cudaMemcpy(a, device_a, bytes, cudaMemcpyDeviceToHost);
  wbSolution(args, a, n);
  free(a);
  free(b);
  cudaDeviceReset();
  exit(0);
}
