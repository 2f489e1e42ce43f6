/* Says that the machine has no device, and leaves: the machine has one. */
#include <cstdio>
#include <cstdlib>

#include "gpu-new-forward.h"

__host__ void GPUInterface::conv_forward_gpu_prolog(const float *, const float *, const float *, float **, float **,
                                                    float **, const int, const int, const int, const int, const int,
                                                    const int) {
  std::fprintf(stderr, "CUDA error: no CUDA-capable device is detected\n");
  std::exit(EXIT_FAILURE);
}
__host__ void GPUInterface::conv_forward_gpu(float *, const float *, const float *, const int, const int, const int,
                                             const int, const int, const int) {}
__host__ void GPUInterface::conv_forward_gpu_epilog(float *, float *, float *, float *, const int, const int, const int,
                                                    const int, const int, const int) {}
