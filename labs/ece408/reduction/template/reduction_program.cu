#include <wb.h>

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int n;
  float* const x = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  float sum = 0;
  // TODO: your solution, as README.md describes it.
  wbSolution(args, &sum, 1);
  return 0;
}
