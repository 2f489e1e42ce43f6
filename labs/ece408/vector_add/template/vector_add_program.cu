#include <wb.h>

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int n;
  float* const a = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  float* const b = (float*)wbImport(wbArg_getInputFile(args, 1), &n);
  float* const sum = (float*)malloc(n * sizeof(float));
  // TODO: your solution, as README.md describes it.
  wbSolution(args, sum, n);
  return 0;
}
