// A plain right submission to the MXNet terms. It adds to y, which the course zeroed before the call.
#ifndef MXNET_OPERATOR_NEW_FORWARD_H_
#define MXNET_OPERATOR_NEW_FORWARD_H_

#include <mxnet/base.h>

namespace mxnet {
namespace op {

template <typename cpu, typename DType>
void forward(mshadow::Tensor<cpu, 4, DType> &y, const mshadow::Tensor<cpu, 4, DType> &x, const mshadow::Tensor<cpu, 4, DType> &k) {
  const int B = x.shape_[0];
  const int M = y.shape_[1];
  const int C = x.shape_[1];
  const int K = k.size(3);

  for (int b = 0; b < B; ++b)
    for (int m = 0; m < M; ++m)
      for (int h = 0; h < (int)y.shape_[2]; ++h)
        for (int w = 0; w < (int)y.shape_[3]; ++w)
          for (int c = 0; c < C; ++c)
            for (int p = 0; p < K; ++p)
              for (int q = 0; q < K; ++q)
                y[b][m][h][w] += x[b][c][h + p][w + q] * k[m][c][p][q];
}

}
}

#endif
