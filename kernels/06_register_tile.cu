// 6. Register tile.
// Idea: the implicit product of 5, but a thread owns 4 maps x 4 pixels: 8 loads from shared memory
//   feed 16 multiply-adds. A table in shared memory holds each tap's offset into the image, so no
//   division is left in the loop.
// Bound by: shared-memory loads still, half a word for each multiply-add (64 a clock and SM). The
//   two barriers around each tile add waiting.
// Next: wider loads, and loading the next tile while this one is multiplied.
#include "kernels/common.cuh"

namespace opgrade::kernels::rung06 {

constexpr int kMaps = 16, kPixels = 128, kDepth = 8;  // a block's tile
constexpr int kThreads = 128, kLanes = 32;            // 4 map groups x 32 pixel groups

__global__ void conv(const float* __restrict__ x, const float* __restrict__ k,
                     float* __restrict__ y, Dims d) {
  extern __shared__ int tap_offset[];
  __shared__ float tile_k[kDepth][kMaps], tile_u[kDepth][kPixels];
  const int tid = threadIdx.x, m0 = blockIdx.z * kMaps, pixel0 = blockIdx.y * kPixels;
  // Whole tiles of taps: the compiler fetches the table four entries at a time.
  for (int t = tid; t < ceil_div(d.taps, kDepth) * kDepth; t += kThreads)
    tap_offset[t] = t >= d.taps ? 0 : (t / (d.K * d.K) * d.H + t / d.K % d.K) * d.W + t % d.K;

  // While loading, a thread stays with one pixel; past the last one it reads the last one's data.
  const int loads = min(pixel0 + tid, d.pixels - 1);
  const float* window = x + blockIdx.x * d.x_image + loads / d.Wo * d.S * d.W + loads % d.Wo * d.S;
  const int group = tid / kLanes, lane = tid % kLanes;
  float sum[4][4] = {};
  for (int t0 = 0; t0 < d.taps; t0 += kDepth) {
    __syncthreads();
    const int m = m0 + tid / kDepth, t = t0 + tid % kDepth;
    tile_k[tid % kDepth][tid / kDepth] = m < d.M && t < d.taps ? k[m * d.taps + t] : 0.0f;
    float loaded[kDepth];
    for (int i = 0; i < kDepth; ++i) loaded[i] = window[tap_offset[t0 + i]];
    for (int i = 0; i < kDepth; ++i) tile_u[i][tid] = t0 + i < d.taps ? loaded[i] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kDepth; ++i) {
      float weight[4], value[4];
      for (int j = 0; j < 4; ++j) weight[j] = tile_k[i][group * 4 + j];
      for (int j = 0; j < 4; ++j) value[j] = tile_u[i][lane + j * kLanes];
      for (int a = 0; a < 4; ++a)
        for (int j = 0; j < 4; ++j) sum[a][j] += weight[a] * value[j];
    }
  }
  for (int a = 0; a < 4; ++a)
    for (int j = 0; j < 4; ++j) {
      const int m = m0 + group * 4 + a, pixel = pixel0 + lane + j * kLanes;
      if (m < d.M && pixel < d.pixels)
        y[blockIdx.x * d.y_image + std::int64_t{m} * d.pixels + pixel] = sum[a][j];
    }
}

bool accepts(const ConvShape& s) {
  return s.valid() && s.x_image() < INT32_MAX && s.C * s.K * s.K <= 8192 &&
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

}  // namespace opgrade::kernels::rung06
