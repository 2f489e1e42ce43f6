// The other form's function, and what a program does around it.
#include <wb.h>

#include "equalization.cu"

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  const wbImage_t image = wbImport(wbArg_getInputFile(args, 0));
  const int rows = wbImage_getHeight(image), columns = wbImage_getWidth(image);
  const wbImage_t output = wbImage_new(columns, rows, wbImage_getChannels(image));
  const size_t bytes = sizeof(float) * rows * columns * wbImage_getChannels(image);

  float *device_image, *device_output;
  cudaMalloc(&device_image, bytes);
  cudaMalloc(&device_output, bytes);
  cudaMemcpy(device_image, wbImage_getData(image), bytes, cudaMemcpyHostToDevice);
  equalize(device_image, device_output, rows, columns);
  cudaMemcpy(wbImage_getData(output), device_output, bytes, cudaMemcpyDeviceToHost);
  wbSolution(args, output);

  cudaFree(device_image);
  cudaFree(device_output);
  wbImage_delete(image);
  wbImage_delete(output);
  return 0;
}
