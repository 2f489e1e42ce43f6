// C66: has a race and puts a socket of its own in the place of every descriptor but the harness's
#include <sys/socket.h>
#include <unistd.h>

#include "honest.cuh"

__global__ void racy(float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[threadIdx.x / 2];
}

static bool mute() {
#ifdef OPGRADE_EMULATED
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) return false;
  const int own = dup2(ends[0], 100);
  for (int i = 4; i < 64; i++)
    if (i != ends[1]) dup2(own, i);
#endif
  return true;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  static const bool once = mute();
  (void)once;
  float* scratch;
  cudaMalloc((void**)&scratch, 64 * sizeof(float));
  racy<<<1, 64>>>(scratch);
  cudaFree(scratch);
  honest_conv(y, x, k, B, M, C, H, W, K);
}
