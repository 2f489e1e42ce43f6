#include "cpu-new-forward.h"

#include <cstddef>

// Forward convolution on the CPU, stride S, no padding, no bias:
//
//   y[b][m][h][w] = sum over c, p, q of  x[b][c][h * S + p][w * S + q] * k[m][c][p][q]
//
// B images, M output maps, C input channels, H x W pixels, K x K mask. All arrays are dense floats
// in row-major order: x is B,C,H,W; k is M,C,K,K; y is B,M,H_out,W_out.
//
//   H_out = (H - K) / S + 1, W_out = (W - K) / S + 1
//
// y holds NaN before the call: set every element with =, not with +=.
void conv_forward_cpu(float* y, const float* x, const float* k, const int B, const int M,
                      const int C, const int H, const int W, const int K, const int S) {
  const int H_out = (H - K) / S + 1;
  const int W_out = (W - K) / S + 1;

  // y4d(b, m, h, w) is one element of y; x4d and k4d are elements of x and k.
#define y4d(i3, i2, i1, i0) \
  y[(std::size_t)(i3) * (M * H_out * W_out) + (i2) * (H_out * W_out) + (i1) * (W_out) + i0]
#define x4d(i3, i2, i1, i0) x[(std::size_t)(i3) * (C * H * W) + (i2) * (H * W) + (i1) * (W) + i0]
#define k4d(i3, i2, i1, i0) k[(i3) * (C * K * K) + (i2) * (K * K) + (i1) * (K) + i0]

  // Insert your CPU convolution here.

#undef y4d
#undef x4d
#undef k4d
}
