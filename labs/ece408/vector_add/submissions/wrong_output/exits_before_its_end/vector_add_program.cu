#include <unistd.h>
#include <wb.h>

int main(int argc, char** argv) {
  const wbArg_t args = wbArg_read(argc, argv);
  int n;
  float* const a = (float*)wbImport(wbArg_getInputFile(args, 0), &n);
  free(a);
  _exit(0);
}
