// One kernel of 2^28 inlined copies: memory of the optimiser and the assembler.
#include "gpu-new-forward.h"

template <int N> struct Twice {
  static __device__ __forceinline__ float of(float x)
  {
    return Twice<N - 1>::of(x * 1.5f) * Twice<N - 1>::of(x + N) - x;
  }
};
template <> struct Twice<0> {
  static __device__ __forceinline__ float of(float x) { return x / (x + 3); }
};

__global__ void bomb(float *y) { y[threadIdx.x] = Twice<28>::of(y[threadIdx.x]); }

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
