// Control: one thread an output
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV { honest_conv(y, x, k, B, M, C, H, W, K); }
