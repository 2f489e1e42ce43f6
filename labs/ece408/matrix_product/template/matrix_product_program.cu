#include <wb.h>

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int rows_a, columns_a, rows_b, columns_b;
  float* const a = (float*)wbImport(wbArg_getInputFile(args, 0), &rows_a, &columns_a);
  float* const b = (float*)wbImport(wbArg_getInputFile(args, 1), &rows_b, &columns_b);
  float* const c = (float*)malloc(rows_a * columns_b * sizeof(float));
  // TODO: your solution, as README.md describes it.
  wbSolution(args, c, rows_a, columns_b);
  return 0;
}
