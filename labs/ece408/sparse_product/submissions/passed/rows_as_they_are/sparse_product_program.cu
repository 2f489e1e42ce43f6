// Without the transposed form: the other form's function.
#include <wb.h>

#include "sparse_product.cu"

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int nonzeros, starts, dim;
  int* const column = (int*)wbImport(wbArg_getInputFile(args, 0), &nonzeros, "Integer");
  int* const row_start = (int*)wbImport(wbArg_getInputFile(args, 1), &starts, "Integer");
  float* const value = (float*)wbImport(wbArg_getInputFile(args, 2), &nonzeros, "Real");
  float* const x = (float*)wbImport(wbArg_getInputFile(args, 3), &dim, "Real");
  float* const y = (float*)malloc(dim * sizeof(float));

  int *device_column, *device_start;
  float *device_value, *device_x, *device_y;
  cudaMalloc(&device_column, nonzeros * sizeof(int));
  cudaMalloc(&device_start, starts * sizeof(int));
  cudaMalloc(&device_value, nonzeros * sizeof(float));
  cudaMalloc(&device_x, dim * sizeof(float));
  cudaMalloc(&device_y, dim * sizeof(float));
  cudaMemcpy(device_column, column, nonzeros * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(device_start, row_start, starts * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(device_value, value, nonzeros * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_x, x, dim * sizeof(float), cudaMemcpyHostToDevice);
  spmv(device_start, device_column, device_value, device_x, device_y, dim, nonzeros);
  cudaMemcpy(y, device_y, dim * sizeof(float), cudaMemcpyDeviceToHost);
  wbSolution(args, y, dim);

  for (int* one : {device_column, device_start}) cudaFree(one);
  for (float* one : {device_value, device_x, device_y}) cudaFree(one);
  for (int* one : {column, row_start}) free(one);
  for (float* one : {value, x, y}) free(one);
  return 0;
}
