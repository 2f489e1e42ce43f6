#include "histogram.h"

void histogram(const unsigned char* x, unsigned int* bins, int n) {
  // TODO: see statement.md.
}
