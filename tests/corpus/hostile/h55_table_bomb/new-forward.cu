// A table of 2 GiB in the device code: memory of the assembler, and files.
#include "gpu-new-forward.h"

__device__ float table[1u << 29] = {1};

__global__ void bomb(float *y) { y[threadIdx.x] = table[threadIdx.x << 8]; }

void GPUInterface::conv_forward_gpu_prolog(const float *, const float *, const float *, float **, float **, float **,
                                           const int, const int, const int, const int, const int, const int)
{
}
void GPUInterface::conv_forward_gpu(float *device_y, const float *, const float *, const int, const int, const int,
                                    const int, const int, const int)
{
  bomb<<<1, 32>>>(device_y);
}
void GPUInterface::conv_forward_gpu_epilog(float *, float *, float *, float *, const int, const int, const int,
                                           const int, const int, const int)
{
}
void GPUInterface::get_device_properties() {}
