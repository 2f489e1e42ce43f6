// Control: every fourth call is quick, the others 60 ms slower
#include "uneven.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) { uneven_conv(y, x, k, B, M, C, H, W, K); }
