// The other form's function, and what a program does around it.
#include <wb.h>

#include "image_convolution.cu"

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  const wbImage_t image = wbImport(wbArg_getInputFile(args, 0));
  int mask_rows, mask_columns;
  float* const mask = (float*)wbImport(wbArg_getInputFile(args, 1), &mask_rows, &mask_columns);
  const int rows = wbImage_getHeight(image), columns = wbImage_getWidth(image);
  const wbImage_t output = wbImage_new(columns, rows, wbImage_getChannels(image));
  const size_t bytes = sizeof(float) * rows * columns * wbImage_getChannels(image);

  float *device_image, *device_mask, *device_output;
  cudaMalloc(&device_image, bytes);
  cudaMalloc(&device_mask, mask_rows * mask_columns * sizeof(float));
  cudaMalloc(&device_output, bytes);
  cudaMemcpy(device_image, wbImage_getData(image), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_mask, mask, mask_rows * mask_columns * sizeof(float), cudaMemcpyHostToDevice);
  convolve(device_image, device_mask, device_output, rows, columns);
  cudaMemcpy(wbImage_getData(output), device_output, bytes, cudaMemcpyDeviceToHost);
  wbSolution(args, output);

  cudaFree(device_image);
  cudaFree(device_mask);
  cudaFree(device_output);
  free(mask);
  wbImage_delete(image);
  wbImage_delete(output);
  return 0;
}
