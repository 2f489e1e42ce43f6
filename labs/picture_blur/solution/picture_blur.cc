#include "picture_blur.h"

#include <algorithm>

static unsigned char colour(int sum, float gain) {
  return static_cast<unsigned char>(std::min(255, (sum + 4) / 9 * static_cast<int>(gain)));
}

void blur(const uchar4* image, const bool* keep, float3 gain, uchar4* blurred, int rows, int columns) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const size_t at = static_cast<size_t>(r) * columns + c;
      blurred[at] = image[at];
      if (keep[at]) continue;
      int x = 0, y = 0, z = 0;
      for (int dr = -1; dr <= 1; ++dr)
        for (int dc = -1; dc <= 1; ++dc) {
          const int row = std::clamp(r + dr, 0, rows - 1), column = std::clamp(c + dc, 0, columns - 1);
          const uchar4 pixel = image[static_cast<size_t>(row) * columns + column];
          x += pixel.x;
          y += pixel.y;
          z += pixel.z;
        }
      blurred[at] = make_uchar4(colour(x, gain.x), colour(y, gain.y), colour(z, gain.z), image[at].w);
    }
}
