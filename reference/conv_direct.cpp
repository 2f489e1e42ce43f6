#include "reference/conv_direct.hpp"

#include <stdexcept>

namespace opgrade {

void conv_direct(const ConvShape& shape, const float* x, const float* k, double* y) {
  if (!shape.valid()) throw std::invalid_argument("conv_direct: the shape is not valid");
  const std::int64_t B = shape.B, M = shape.M, C = shape.C, H = shape.H, W = shape.W;
  const std::int64_t K = shape.K, S = shape.S, H_out = shape.H_out(), W_out = shape.W_out();
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t m = 0; m < M; ++m)
      for (std::int64_t h = 0; h < H_out; ++h)
        for (std::int64_t w = 0; w < W_out; ++w) {
          double sum = 0;
          for (std::int64_t c = 0; c < C; ++c)
            for (std::int64_t p = 0; p < K; ++p)
              for (std::int64_t q = 0; q < K; ++q)
                sum += static_cast<double>(x[((b * C + c) * H + h * S + p) * W + w * S + q]) *
                       static_cast<double>(k[((m * C + c) * K + p) * K + q]);
          y[((b * M + m) * H_out + h) * W_out + w] = sum;
        }
}

}  // namespace opgrade
