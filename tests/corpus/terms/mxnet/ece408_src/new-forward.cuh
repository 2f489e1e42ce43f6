// A plain right submission to the MXNet terms. It adds to y, which the course zeroed before the call.
#ifndef MXNET_OPERATOR_NEW_FORWARD_CUH_
#define MXNET_OPERATOR_NEW_FORWARD_CUH_

#include <mxnet/base.h>

#define BLOCK_SIZE 128

namespace mxnet {
namespace op {

__global__ void forward_kernel(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  const int H_out = H - K + 1;
  const int W_out = W - K + 1;
#define y4d(i3, i2, i1, i0) y[(i3) * (M * H_out * W_out) + (i2) * (H_out * W_out) + (i1) * (W_out) + i0]
#define x4d(i3, i2, i1, i0) x[(i3) * (C * H * W) + (i2) * (H * W) + (i1) * (W) + i0]
#define k4d(i3, i2, i1, i0) k[(i3) * (C * K * K) + (i2) * (K * K) + (i1) * (K) + i0]
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= H_out * W_out) return;
  const int h = pixel / W_out;
  const int w = pixel % W_out;
  const int m = blockIdx.y;
  const int b = blockIdx.z;
  for (int c = 0; c < C; ++c)
    for (int p = 0; p < K; ++p)
      for (int q = 0; q < K; ++q)
        y4d(b, m, h, w) += x4d(b, c, h + p, w + q) * k4d(m, c, p, q);
#undef y4d
#undef x4d
#undef k4d
}

template <>
void forward<gpu, float>(mshadow::Tensor<gpu, 4, float> &y, const mshadow::Tensor<gpu, 4, float> &x, const mshadow::Tensor<gpu, 4, float> &w) {
  CHECK_EQ(w.shape_[2], w.shape_[3]) << "only square kernels";
  const int B = x.shape_[0];
  const int M = y.shape_[1];
  const int C = x.shape_[1];
  const int H = x.shape_[2];
  const int W = x.shape_[3];
  const int K = w.shape_[3];
  cudaStream_t s = y.stream_->stream_;
  dim3 gridDim((y.size(2) * y.size(3) + BLOCK_SIZE - 1) / BLOCK_SIZE, M, B);
  forward_kernel<<<gridDim, BLOCK_SIZE, 0, s>>>(y.dptr_, x.dptr_, w.dptr_, B, M, C, H, W, K);
  MSHADOW_CUDA_CALL(cudaDeviceSynchronize());
}

template <typename gpu, typename DType>
void forward(mshadow::Tensor<gpu, 4, DType> &y, const mshadow::Tensor<gpu, 4, DType> &x, const mshadow::Tensor<gpu, 4, DType> &w) {
  CHECK_EQ(0, 1) << "float only";
}

}
}

#endif
