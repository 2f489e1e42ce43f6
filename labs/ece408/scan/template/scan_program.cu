#include <wb.h>

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int n;
  float* const x = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  float* const y = (float*)malloc(n * sizeof(float));
  // TODO: see statement.md.
  wbSolution(args, y, n);
  return 0;
}
