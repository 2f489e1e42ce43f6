#include "picture_blur.h"

// A thread for each byte instead of each pixel.
__global__ void blur_bytes(const unsigned char* image, const bool* keep, float3 gain, unsigned char* blurred, int rows,
                           int columns) {
  const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, pixel = at / 4;
  if (pixel >= static_cast<long long>(rows) * columns) return;
  const int part = at % 4;
  blurred[at] = image[at];
  if (part == 3 || keep[pixel]) return;
  int sum = 4;
  for (long long dr = -1; dr <= 1; ++dr)
    for (long long dc = -1; dc <= 1; ++dc) {
      const long long row = min(max(pixel / columns + dr, 0LL), rows - 1LL);
      const long long column = min(max(pixel % columns + dc, 0LL), columns - 1LL);
      sum += image[4 * (row * columns + column) + part];
    }
  const float by = part == 0 ? gain.x : part == 1 ? gain.y : gain.z;
  blurred[at] = min(255, sum / 9 * static_cast<int>(by));
}

void blur(const uchar4* image, const bool* keep, float3 gain, uchar4* blurred, int rows, int columns) {
  const long long bytes = 4LL * rows * columns;
  blur_bytes<<<(bytes + 255) / 256, 256>>>(reinterpret_cast<const unsigned char*>(image), keep, gain,
                                           reinterpret_cast<unsigned char*>(blurred), rows, columns);
}
