// The reference solution on the CPU: what a careful student could hand in. One thread, no
// intrinsics.
//
// A strip of one output row is summed in a small array that stays in registers or the first-level
// cache. Every weight is read once per strip and every inner loop runs over consecutive pixels, so
// the compiler vectorises it. Processors with AVX2 or AVX-512 get a version of their own.
#include <algorithm>
#include <cstddef>

namespace {

constexpr int kStrip = 64;  // outputs; four AVX-512 registers
constexpr int kMaps = 4;    // output maps that share each loaded pixel

struct Plane {
  const float* x;  // one image, C,H,W
  const float* k;  // M,C,K,K
  float* y;        // one image, M,H_out,W_out
  int C, H, W, K, S;
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void strip(const Plane& p, int m, int maps, int h, int w, int width) {
  const int H_out = (p.H - p.K) / p.S + 1;
  const int W_out = (p.W - p.K) / p.S + 1;
  const std::size_t mask = static_cast<std::size_t>(p.C) * p.K * p.K;
  float sum[kMaps][kStrip] = {};
  for (int c = 0; c < p.C; ++c) {
    for (int i = 0; i < p.K; ++i) {
      const float* row = p.x + (static_cast<std::size_t>(c) * p.H + h * p.S + i) * p.W + w * p.S;
      for (int j = 0; j < p.K; ++j) {
        const float* weight = p.k + m * mask + (static_cast<std::size_t>(c) * p.K + i) * p.K + j;
        if (p.S == 1 && maps == kMaps && width == kStrip) {
          const float w0 = weight[0], w1 = weight[mask], w2 = weight[2 * mask],
                      w3 = weight[3 * mask];
          for (int t = 0; t < kStrip; ++t) {
            sum[0][t] += w0 * row[j + t];
            sum[1][t] += w1 * row[j + t];
            sum[2][t] += w2 * row[j + t];
            sum[3][t] += w3 * row[j + t];
          }
        } else {
          for (int n = 0; n < maps; ++n) {
            const float factor = weight[n * mask];
            for (int t = 0; t < width; ++t) sum[n][t] += factor * row[j + t * p.S];
          }
        }
      }
    }
  }
  for (int n = 0; n < maps; ++n) {
    std::copy_n(sum[n], width, p.y + (static_cast<std::size_t>(m + n) * H_out + h) * W_out + w);
  }
}

}  // namespace

void conv_forward_cpu(float* y, const float* x, const float* k, const int B, const int M,
                      const int C, const int H, const int W, const int K, const int S) {
  const int H_out = (H - K) / S + 1;
  const int W_out = (W - K) / S + 1;
  for (int b = 0; b < B; ++b) {
    const Plane plane{x + static_cast<std::size_t>(b) * C * H * W,
                      k,
                      y + static_cast<std::size_t>(b) * M * H_out * W_out,
                      C,
                      H,
                      W,
                      K,
                      S};
    for (int m = 0; m < M; m += kMaps) {
      for (int h = 0; h < H_out; ++h) {
        for (int w = 0; w < W_out; w += kStrip)
          strip(plane, m, std::min(kMaps, M - m), h, w, std::min(kStrip, W_out - w));
      }
    }
  }
}
