// Crashes with much memory and asks for a core file.
#include "cpu-new-forward.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &all);
  void *block = malloc(64 << 20);
  memset(block, 1, 64 << 20);
  raise(SIGQUIT);
  abort();
}
