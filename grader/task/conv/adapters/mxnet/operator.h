/* What the adapters of the MXNet terms share: the course's new-inl.h declared this template before
 * it included the student's header, which defines or specialises it. */
#ifndef OPGRADE_MXNET_OPERATOR_H
#define OPGRADE_MXNET_OPERATOR_H

#include <mxnet/base.h>

#include "../conv_call.h"

namespace mxnet {
namespace op {
template <typename xpu, typename DType>
void forward(mshadow::Tensor<xpu, 4, DType>& y, const mshadow::Tensor<xpu, 4, DType>& x,
             const mshadow::Tensor<xpu, 4, DType>& k);
}  // namespace op
}  // namespace mxnet

namespace opgrade_adapter {

template <typename xpu>
struct Operands {
  typedef mshadow::Tensor<xpu, 4, float> Tensor4;

  static Tensor4 tensor(float* data, int n0, int n1, int n2, int n3, mshadow::Stream<xpu>* stream) {
    Tensor4 t;
    t.dptr_ = data;
    const int sizes[4] = {n0, n1, n2, n3};
    for (int i = 0; i < 4; ++i) t.shape_[i] = static_cast<mshadow::index_t>(sizes[i]);
    t.stride_ = t.shape_[3];
    t.stream_ = stream;
    return t;
  }

  Operands(const opgrade_conv* c, float* y_data, float* x_data, float* k_data)
      : y(tensor(y_data, c->B, c->M, c->H - c->K + 1, c->W - c->K + 1, &stream)),
        x(tensor(x_data, c->B, c->C, c->H, c->W, &stream)),
        k(tensor(k_data, c->M, c->C, c->K, c->K, &stream)) {}

  mshadow::Stream<xpu> stream;
  Tensor4 y;
  const Tensor4 x, k;
};

}  // namespace opgrade_adapter

#endif
