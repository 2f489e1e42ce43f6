// Control: the same, 20 ms slower
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV { slow_conv(y, x, k, B, M, C, H, W, K); }
