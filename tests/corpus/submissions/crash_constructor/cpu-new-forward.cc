// Crashes before anything is called.
#include "cpu-new-forward.h"
#include <cstdlib>

static struct Early {
  Early() { std::abort(); }
} early;

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{}
