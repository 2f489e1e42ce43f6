#include "picture_blur.h"

__device__ unsigned char colour(int sum, float gain) { return min(255, (sum + 4) / 9 * static_cast<int>(gain)); }

__global__ void blur_pixels(const uchar4* image, const bool* keep, float3 gain, uchar4* blurred, int rows, int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  const size_t at = static_cast<size_t>(r) * columns + c;
  const uchar4 old = image[at];
  if (keep[at]) {
    blurred[at] = old;
    return;
  }
  int x = 0, y = 0, z = 0;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc) {
      const int row = min(max(r + dr, 0), rows - 1), column = min(max(c + dc, 0), columns - 1);
      const uchar4 pixel = image[static_cast<size_t>(row) * columns + column];
      x += pixel.x;
      y += pixel.y;
      z += pixel.z;
    }
  blurred[at] = make_uchar4(colour(x, gain.x), colour(y, gain.y), colour(z, gain.z), old.w);
}

void blur(const uchar4* image, const bool* keep, float3 gain, uchar4* blurred, int rows, int columns) {
  const dim3 block(32, 8), blocks((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  blur_pixels<<<blocks, block>>>(image, keep, gain, blurred, rows, columns);
}
