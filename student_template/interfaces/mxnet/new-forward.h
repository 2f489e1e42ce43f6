#ifndef MXNET_OPERATOR_NEW_FORWARD_H_
#define MXNET_OPERATOR_NEW_FORWARD_H_

#include <mxnet/base.h>

namespace mxnet {
namespace op {

// Forward convolution on the CPU, stride 1, no padding, no bias:
//
//   y[b][m][h][w] = sum over c, p, q of  x[b][c][h + p][w + q] * k[m][c][p][q]
//
// y holds zeros before the call.
template <typename cpu, typename DType>
void forward(mshadow::Tensor<cpu, 4, DType>& y, const mshadow::Tensor<cpu, 4, DType>& x,
             const mshadow::Tensor<cpu, 4, DType>& k) {
  const int B = x.shape_[0];
  const int M = y.shape_[1];
  const int C = x.shape_[1];
  const int H = x.shape_[2];
  const int W = x.shape_[3];
  const int K = k.shape_[3];
  (void)B, (void)M, (void)C, (void)H, (void)W, (void)K;

  // Insert your CPU convolution here.
}

}  // namespace op
}  // namespace mxnet

#endif
