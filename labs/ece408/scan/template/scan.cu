#include "scan.h"

void scan(const float* x, float* y, int n) {
  // TODO: see statement.md.
}
