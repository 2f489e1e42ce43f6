// The honest submission under a lie of gpu_lie.cuh: slow here, a rung of the ladder for gain.sh.
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG
CONV { slow_conv(y, x, k, B, M, C, H, W, K); }
