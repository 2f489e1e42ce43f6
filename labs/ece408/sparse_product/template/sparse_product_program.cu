#include <wb.h>

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int nonzeros, starts, dim;
  int* const column = (int*)wbImport(wbArg_getInputFile(args, 0), &nonzeros, "Integer");
  int* const row_start = (int*)wbImport(wbArg_getInputFile(args, 1), &starts, "Integer");
  float* const value = (float*)wbImport(wbArg_getInputFile(args, 2), &nonzeros, "Real");
  float* const x = (float*)wbImport(wbArg_getInputFile(args, 3), &dim, "Real");
  float* const y = (float*)malloc(dim * sizeof(float));
  // TODO: your solution, as README.md describes it.
  wbSolution(args, y, dim);
  return 0;
}
