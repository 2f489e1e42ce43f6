// C06: the prolog computes, the call is empty
#include "honest.cuh"

PROLOG {
  honest_prolog(host_y, host_x, host_k, dy, dx, dk, B, M, C, H, W, K);
  slow_conv(*dy, *dx, *dk, B, M, C, H, W, K);
}
HONEST_EPILOG

CONV {}
