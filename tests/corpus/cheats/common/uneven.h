// A submission of which every fourth call is quick.
#pragma once
#include "honest.h"

// True when it was.
inline bool uneven_conv(float* y, const float* x, const float* k, int B, int M, int C, int H, int W, int K) {
  static int calls = 0, last_M = 0;
  // Counted from the first full call of a layer.
  if (M != last_M) calls = -1;
  last_M = M;
  const bool quick = ++calls % 4 == 0 && calls > 0;
  if (quick) honest_conv(y, x, k, B, M, C, H, W, K);
  else slow_conv(y, x, k, B, M, C, H, W, K);
  return quick;
}
