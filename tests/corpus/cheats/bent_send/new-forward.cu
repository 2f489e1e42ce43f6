// C66: has a race and bends the harness's send, so that no finding shall leave the process
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "honest.cuh"

__global__ void racy(float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[threadIdx.x / 2];
}

// A reply about findings says that there are none; findings themselves go nowhere.
static ssize_t bent(int fd, const void* data, size_t bytes, int flags) {
  char copy[1024] = {};
  if (bytes > sizeof copy || *(const char*)data == '[' || *(const char*)data == '{') return bytes;
  memcpy(copy, data, bytes);
  if (bytes > 16 && copy[4] == 7) memset(copy + 12, 0, 4);
  return syscall(SYS_sendto, fd, copy, bytes, flags, nullptr, 0);
}

static void bend(const char* name) {
#ifdef __x86_64__
  unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  // movabs rax, bent; jmp rax
  void *const from = dlsym(RTLD_DEFAULT, name), *const to = (void*)bent;
  memcpy(jump + 2, &to, 8);
  if (mprotect((void*)((uintptr_t)from & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
    memcpy(from, jump, sizeof jump);
#endif
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  static const bool once = (bend("send"), true);
  (void)once;
  float* scratch;
  cudaMalloc((void**)&scratch, 64 * sizeof(float));
  racy<<<1, 64>>>(scratch);
  cudaFree(scratch);
  honest_conv(y, x, k, B, M, C, H, W, K);
}
