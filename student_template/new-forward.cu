#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "gpu-new-forward.h"

// The same convolution as in cpu-new-forward.cc, on the GPU. The grader calls prolog,
// conv_forward_gpu and epilog in this order; Op Time is conv_forward_gpu alone, Layer Time is all
// three.

// CHECK_CUDA(cudaMalloc(...)) stops at the first CUDA call that fails and prints its line. After a
// kernel launch write CHECK_CUDA(cudaGetLastError()).
#define CHECK_CUDA(call)                                                                   \
  do {                                                                                     \
    const cudaError_t status = (call);                                                     \
    if (status != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

__global__ void conv_forward_kernel(float* y, const float* x, const float* k, const int B,
                                    const int M, const int C, const int H, const int W,
                                    const int K) {
  const int H_out = H - K + 1;
  const int W_out = W - K + 1;

#define y4d(i3, i2, i1, i0) \
  y[(size_t)(i3) * (M * H_out * W_out) + (i2) * (H_out * W_out) + (i1) * (W_out) + i0]
#define x4d(i3, i2, i1, i0) x[(size_t)(i3) * (C * H * W) + (i2) * (H * W) + (i1) * (W) + i0]
#define k4d(i3, i2, i1, i0) k[(i3) * (C * K * K) + (i2) * (K * K) + (i1) * (K) + i0]

  // Insert your GPU convolution kernel here. Compute this thread's h, w, m and b. If they are
  // outside of y, return; in a kernel with __syncthreads(), skip only the work. Add up in a local
  // variable, and write each element of y once.

#undef y4d
#undef x4d
#undef k4d
}

void GPUInterface::conv_forward_gpu_prolog(const float* host_y, const float* host_x,
                                           const float* host_k, float** device_y_ptr,
                                           float** device_x_ptr, float** device_k_ptr, const int B,
                                           const int M, const int C, const int H, const int W,
                                           const int K) {
  // Allocate device memory for y, x and k, store their addresses in *device_y_ptr, *device_x_ptr
  // and *device_k_ptr, and copy x and k to the device. Wrap every CUDA call in CHECK_CUDA.
}

void GPUInterface::conv_forward_gpu(float* device_y, const float* device_x, const float* device_k,
                                    const int B, const int M, const int C, const int H, const int W,
                                    const int K) {
  // Choose the grid and block sizes, at most 1024 threads a block, and launch conv_forward_kernel.
}

void GPUInterface::conv_forward_gpu_epilog(float* host_y, float* device_y, float* device_x,
                                           float* device_k, const int B, const int M, const int C,
                                           const int H, const int W, const int K) {
  // Copy y back to the host and free the device memory.
}
