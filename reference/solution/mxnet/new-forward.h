// The reference solution to the MXNet terms on the CPU: what a careful student could hand in. One
// thread, no intrinsics.
//
// Sixteen neighbours of an output row are one vector, which the compiler makes of whatever
// registers the processor has. The sums of several maps stay in registers, and every pixel that is
// loaded serves all of these maps. The last vector of a row ends with the row, so some columns are
// computed twice. Processors with AVX2 or AVX-512 get a version of their own.
#ifndef MXNET_OPERATOR_NEW_FORWARD_H_
#define MXNET_OPERATOR_NEW_FORWARD_H_

#include <mxnet/base.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace vectors {

constexpr int kLanes = 16;
typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));

struct Plane {
  const float* x;  // one image, C,H,W
  const float* k;  // M,C,K,K
  float* y;        // one image, M,H_out,W_out
  int C, H, W, K;
};

#define ALWAYS_INLINE inline __attribute__((always_inline))

// kVectors vectors of outputs of a row, from column w on, of kMaps maps.
template <int kMaps, int kVectors, class V>
ALWAYS_INLINE void strip(const Plane& p, int m, int h, int w) {
  const int H_out = p.H - p.K + 1;
  const int W_out = p.W - p.K + 1;
  const std::size_t mask = static_cast<std::size_t>(p.C) * p.K * p.K;
  const float* weight = p.k + m * mask;
  V sum[kMaps][kVectors] = {};
  for (int c = 0; c < p.C; ++c) {
    for (int i = 0; i < p.K; ++i) {
      const float* pixels = p.x + (static_cast<std::size_t>(c) * p.H + h + i) * p.W + w;
      for (int j = 0; j < p.K; ++j, ++weight, ++pixels) {
        V in[kVectors];
        std::memcpy(in, pixels, sizeof in);
        for (int n = 0; n < kMaps; ++n) {
          for (int v = 0; v < kVectors; ++v) sum[n][v] += weight[n * mask] * in[v];
        }
      }
    }
  }
  for (int n = 0; n < kMaps; ++n) {
    std::memcpy(p.y + (static_cast<std::size_t>(m + n) * H_out + h) * W_out + w, sum[n],
                sizeof sum[n]);
  }
}

template <int kMaps>
ALWAYS_INLINE void maps(const Plane& p, int m) {
  const int H_out = p.H - p.K + 1;
  const int W_out = p.W - p.K + 1;
  for (int h = 0; h < H_out; ++h) {
    int w = 0;
    for (; w + 2 * kLanes <= W_out; w += 2 * kLanes) strip<kMaps, 2, Vector>(p, m, h, w);
    for (; w < W_out && W_out >= kLanes; w += kLanes)
      strip<kMaps, 1, Vector>(p, m, h, std::min(w, W_out - kLanes));
    for (; w < W_out; ++w) strip<kMaps, 1, float>(p, m, h, w);
  }
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static void
image(const Plane& p, int M) {
  int m = 0;
  for (; m + 8 <= M; m += 8) maps<8>(p, m);
  for (; m + 4 <= M; m += 4) maps<4>(p, m);
  for (; m < M; ++m) maps<1>(p, m);
}

inline void convolve(float* y, const float* x, const float* k, const int B, const int M,
                     const int C, const int H, const int W, const int K) {
  const std::size_t y_image = static_cast<std::size_t>(M) * (H - K + 1) * (W - K + 1);
  for (int b = 0; b < B; ++b) {
    image({x + static_cast<std::size_t>(b) * C * H * W, k, y + b * y_image, C, H, W, K}, M);
  }
}

}  // namespace vectors

namespace mxnet {
namespace op {

template <typename cpu, typename DType>
void forward(mshadow::Tensor<cpu, 4, DType>& y, const mshadow::Tensor<cpu, 4, DType>& x,
             const mshadow::Tensor<cpu, 4, DType>& k) {
  vectors::convolve(y.dptr_, x.dptr_, k.dptr_, x.shape_[0], y.shape_[1], x.shape_[1], x.shape_[2],
                    x.shape_[3], k.shape_[3]);
}

}  // namespace op
}  // namespace mxnet

#endif
