// The other form's function, and what a program does around it.
#include <wb.h>

#include "reduction.cu"

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int n;
  float* const x = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  wbLog(TRACE, "The number of input elements is ", n);

  float *device_x, *device_sum, sum;
  cudaMalloc(&device_x, n * sizeof(float));
  cudaMalloc(&device_sum, sizeof(float));
  cudaMemcpy(device_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(device_sum, 0, sizeof(float));
  reduce(device_x, device_sum, n);
  cudaMemcpy(&sum, device_sum, sizeof(float), cudaMemcpyDeviceToHost);
  wbSolution(args, &sum, 1);

  cudaFree(device_x);
  cudaFree(device_sum);
  free(x);
  return 0;
}
