// C57: hands over device tensors that are smaller than they must be
#include "honest.cuh"

static float *own_y = nullptr, *own_x = nullptr, *own_k = nullptr;

PROLOG {
  honest_prolog(host_y, host_x, host_k, &own_y, &own_x, &own_k, B, M, C, H, W, K);
  for (float** small : {dy, dx, dk}) cudaMalloc((void**)small, sizeof(float));
}

CONV { slow_conv(own_y, own_x, own_k, B, M, C, H, W, K); }

EPILOG {
  for (float* small : {dy, dx, dk}) cudaFree(small);
  honest_epilog(host_y, own_y, own_x, own_k, B, M, C, H, W, K);
}
