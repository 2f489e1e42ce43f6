// 7. Vector loads and double buffering.
// Idea: the tile of 6 with 4 maps x 8 pixels a thread, read as three 16-byte loads for 32
//   multiply-adds. The next tile travels from x into registers while this one is multiplied, then
//   into the other half of shared memory. So one barrier a tile is enough.
// Bound by: the gather. Each element of the tile costs a table look-up, an address and two moves
//   before 16 maps use it (4 in layer 1). For so few maps the product form itself is the
//   bottleneck, and the 16-map tile wastes 3/4 of layer 1's arithmetic.
// Next: leave the product form; read the image in place.
#include "kernels/common.cuh"

namespace opgrade::kernels::rung07 {

constexpr int kMaps = 16, kPixels = 256, kDepth = 8;
constexpr int kThreads = 128, kLanes = 32;

__global__ void __launch_bounds__(kThreads)
    conv(const float* __restrict__ x, const float* __restrict__ k, float* __restrict__ y, Dims d) {
  extern __shared__ __align__(16) int tap_offset[];
  __shared__ __align__(16) float tile_k[2][kDepth][kMaps];
  __shared__ __align__(16) float tile_u[2][kDepth][kPixels];
  const int tid = threadIdx.x, m0 = blockIdx.z * kMaps, pixel0 = blockIdx.y * kPixels;
  // Whole tiles of taps, because the table is fetched four entries at a time.
  for (int t = tid; t < ceil_div(d.taps, kDepth) * kDepth; t += kThreads)
    tap_offset[t] = t >= d.taps ? 0 : (t / (d.K * d.K) * d.H + t / d.K % d.K) * d.W + t % d.K;
  __syncthreads();

  const float* window[2];
  for (int i = 0; i < 2; ++i) {
    const int pixel = min(pixel0 + tid + i * kThreads, d.pixels - 1);
    window[i] = x + blockIdx.x * d.x_image + pixel / d.Wo * d.S * d.W + pixel % d.Wo * d.S;
  }
  const int load_m = m0 + tid / kDepth, load_t = tid % kDepth;

  float next_k, next_u[kDepth][2];
  const auto fetch = [&](int t0) {
    next_k = load_m < d.M && t0 + load_t < d.taps ? k[load_m * d.taps + t0 + load_t] : 0.0f;
#pragma unroll
    for (int i = 0; i < kDepth; i += 4) {
      const int4 four = *reinterpret_cast<const int4*>(&tap_offset[t0 + i]);
      const int offset[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const bool inside = t0 + i + j < d.taps;
        next_u[i + j][0] = inside ? window[0][offset[j]] : 0.0f;
        next_u[i + j][1] = inside ? window[1][offset[j]] : 0.0f;
      }
    }
  };
  const auto store = [&](int half) {
    tile_k[half][load_t][tid / kDepth] = next_k;
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      tile_u[half][i][tid] = next_u[i][0];
      tile_u[half][i][tid + kThreads] = next_u[i][1];
    }
  };

  const int group = tid / kLanes, lane = tid % kLanes;  // pixels 4*lane.. and 128 + 4*lane..
  float sum[4][8] = {};
  fetch(0);
  store(0);
  __syncthreads();
  for (int t0 = 0, half = 0; t0 < d.taps; t0 += kDepth, half ^= 1) {
    if (t0 + kDepth < d.taps) fetch(t0 + kDepth);
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      const float4 w = *reinterpret_cast<const float4*>(&tile_k[half][i][group * 4]);
      const float4 a = *reinterpret_cast<const float4*>(&tile_u[half][i][lane * 4]);
      const float4 b = *reinterpret_cast<const float4*>(&tile_u[half][i][lane * 4 + kPixels / 2]);
      const float weight[4] = {w.x, w.y, w.z, w.w};
      const float value[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
      for (int m = 0; m < 4; ++m)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[m][j] += weight[m] * value[j];
    }
    if (t0 + kDepth < d.taps) store(half ^ 1);
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int m = m0 + group * 4 + i;
    if (m >= d.M) break;
    float* map = y + blockIdx.x * d.y_image + std::int64_t{m} * d.pixels;
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      const int pixel = pixel0 + lane * 4 + j / 4 * (kPixels / 2);
      if (d.pixels % 4 == 0 && pixel < d.pixels) {
        *reinterpret_cast<float4*>(map + pixel) =
            make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
      } else {
#pragma unroll
        for (int l = 0; l < 4; ++l)
          if (pixel + l < d.pixels) map[pixel + l] = sum[i][j + l];
      }
    }
  }
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.x_image() < INT32_MAX && s.C * s.K * s.K <= 4096 &&
         s.M <= kMaps * kGridYMost &&
         std::int64_t{s.H_out()} * s.W_out() <= std::int64_t{kGridYMost} * kPixels;
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace&,
            cudaStream_t stream) {
  const Dims d = dims(s);
  const dim3 grid(s.B, ceil_div(d.pixels, kPixels), ceil_div(d.M, kMaps));
  const std::size_t table = ceil_div(d.taps, kDepth) * kDepth * sizeof(int);
  conv<<<grid, kThreads, table, stream>>>(x, k, y, d);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace opgrade::kernels::rung07
