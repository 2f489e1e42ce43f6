#include <wb.h>

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  const wbImage_t image = wbImport(wbArg_getInputFile(args, 0));
  int mask_rows, mask_columns;
  float* const mask = (float*)wbImport(wbArg_getInputFile(args, 1), &mask_rows, &mask_columns);
  const int rows = wbImage_getHeight(image), columns = wbImage_getWidth(image);
  const wbImage_t output = wbImage_new(columns, rows, wbImage_getChannels(image));
  // TODO: your solution, as README.md describes it.
  wbSolution(args, output);
  return 0;
}
