// The other form's function, and what a program does around it.
#include <wb.h>

#include "convolution_3d.cu"

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int length, kernel_length;
  float* const input = (float*)wbImport(wbArg_getInputFile(args, 0), &length);
  float* const kernel = (float*)wbImport(wbArg_getInputFile(args, 1), &kernel_length);
  float* const output = (float*)malloc(length * sizeof(float));
  const int z_size = input[0], y_size = input[1], x_size = input[2];
  wbLog(TRACE, "The input size is ", z_size, "x", y_size, "x", x_size);
  const size_t bytes = (length - 3) * sizeof(float);

  float *device_input, *device_kernel, *device_output;
  cudaMalloc(&device_input, bytes);
  cudaMalloc(&device_kernel, kernel_length * sizeof(float));
  cudaMalloc(&device_output, bytes);
  cudaMemcpy(device_input, input + 3, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_kernel, kernel, kernel_length * sizeof(float), cudaMemcpyHostToDevice);
  convolve(device_input, device_kernel, device_output, z_size, y_size, x_size);
  cudaMemcpy(output + 3, device_output, bytes, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 3; ++i) output[i] = input[i];
  wbSolution(args, output, length);

  cudaFree(device_input);
  cudaFree(device_kernel);
  cudaFree(device_output);
  free(input);
  free(kernel);
  free(output);
  return 0;
}
