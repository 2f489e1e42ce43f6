// Asks the compiler to write out 10^12 rounds of a loop.
#include "gpu-new-forward.h"

__global__ void bomb(float *y)
{
#pragma unroll 1000000
  for (int i = 0; i < 1000000; i++) {
#pragma unroll 1000000
    for (int j = 0; j < 1000000; j++) y[i ^ j] = y[i * j] * j + i;
  }
}

void GPUInterface::conv_forward_gpu_prolog(const float *, const float *, const float *, float **, float **, float **,
                                           const int, const int, const int, const int, const int, const int)
{
}
void GPUInterface::conv_forward_gpu(float *device_y, const float *, const float *, const int, const int, const int,
                                    const int, const int, const int)
{
  bomb<<<1, 1>>>(device_y);
}
void GPUInterface::conv_forward_gpu_epilog(float *, float *, float *, float *, const int, const int, const int,
                                           const int, const int, const int)
{
}
void GPUInterface::get_device_properties() {}
