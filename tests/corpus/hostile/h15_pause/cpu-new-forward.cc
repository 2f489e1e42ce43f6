// Waits for nothing: pause, select, sigsuspend in turn.
#include "cpu-new-forward.h"

#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  for (;;) select(0, nullptr, nullptr, nullptr, nullptr);
}
