// Ten thousand kernels of one template, each with a loop to optimise.
#include "gpu-new-forward.h"

template <int N> __global__ void kernel(float *y)
{
  float sum[8] = {};
  for (int i = 0; i < 64 + N; i++)
    for (int j = 0; j < 8; j++) sum[j] = sum[j] * y[i * N + j] + sum[(j + N) % 8];
  for (int j = 0; j < 8; j++) y[j] += sum[j];
}

// A tree, because templates may be 900 deep.
template <int First, int Count> struct Launch {
  static void all(float *y)
  {
    Launch<First, Count / 2>::all(y);
    Launch<First + Count / 2, Count - Count / 2>::all(y);
  }
};
template <int First> struct Launch<First, 1> {
  static void all(float *y) { kernel<First><<<1, 1>>>(y); }
};

void GPUInterface::conv_forward_gpu_prolog(const float *, const float *, const float *, float **, float **, float **,
                                           const int, const int, const int, const int, const int, const int)
{
}
void GPUInterface::conv_forward_gpu(float *device_y, const float *, const float *, const int, const int, const int,
                                    const int, const int, const int)
{
  Launch<0, 10000>::all(device_y);
}
void GPUInterface::conv_forward_gpu_epilog(float *, float *, float *, float *, const int, const int, const int,
                                           const int, const int, const int)
{
}
void GPUInterface::get_device_properties() {}
