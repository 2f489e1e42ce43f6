#include <wb.h>

// Rows by falling length (JDS): neighbouring threads read neighbouring entries.
__global__ void multiply(const int* permutation, const int* length, const int* start,
                         const int* column, const float* value, const float* x, float* y, int dim) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= dim) return;
  float sum = 0;
  for (int k = 0; k < length[row]; ++k) sum += value[start[k] + row] * x[column[start[k] + row]];
  y[row] = sum;
}

template <class T>
T* on_device(const T* host, int n) {
  T* device;
  cudaMalloc(&device, (n > 0 ? n : 1) * sizeof(T));
  cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int nonzeros, starts, dim;
  int* const column = (int*)wbImport(wbArg_getInputFile(args, 0), &nonzeros, "Integer");
  int* const row_start = (int*)wbImport(wbArg_getInputFile(args, 1), &starts, "Integer");
  float* const value = (float*)wbImport(wbArg_getInputFile(args, 2), &nonzeros, "Real");
  float* const x = (float*)wbImport(wbArg_getInputFile(args, 3), &dim, "Real");
  float* const y = (float*)malloc(dim * sizeof(float));

  int *permutation, *length, *start, *jds_column;
  float* jds_value;
  CSRToJDS(dim, row_start, column, value, &permutation, &length, &start, &jds_column, &jds_value);
  int* const device_permutation = on_device(permutation, dim);
  int* const device_length = on_device(length, dim);
  int* const device_start = on_device(start, length[0]);
  int* const device_column = on_device(jds_column, nonzeros);
  float* const device_value = on_device(jds_value, nonzeros);
  float* const device_x = on_device(x, dim);
  float* device_y;
  cudaMalloc(&device_y, dim * sizeof(float));
  multiply<<<(dim + 255) / 256, 256>>>(device_permutation, device_length, device_start,
                                       device_column, device_value, device_x, device_y, dim);
  cudaMemcpy(y, device_y, dim * sizeof(float), cudaMemcpyDeviceToHost);
  wbSolution(args, y, dim);

  for (int* one : {device_permutation, device_length, device_start, device_column}) cudaFree(one);
  for (float* one : {device_value, device_x, device_y}) cudaFree(one);
  for (int* one : {column, row_start, permutation, length, start, jds_column}) free(one);
  for (float* one : {value, x, y, jds_value}) free(one);
  return 0;
}
