#include <wb.h>

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int length, kernel_length;
  float* const input = (float*)wbImport(wbArg_getInputFile(args, 0), &length);
  float* const kernel = (float*)wbImport(wbArg_getInputFile(args, 1), &kernel_length);
  float* const output = (float*)malloc(length * sizeof(float));
  const int z_size = input[0], y_size = input[1], x_size = input[2];
  // TODO: your solution, as README.md describes it.
  wbSolution(args, output, length);
  return 0;
}
