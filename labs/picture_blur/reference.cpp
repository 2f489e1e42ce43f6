#include "reference.h"

#include <algorithm>

void reference(const unsigned char* image, const bool* keep, const float* gain, long long* blurred, long long rows,
               long long columns) {
  for (long long r = 0; r < rows; ++r)
    for (long long c = 0; c < columns; ++c)
      for (int part = 0; part < 4; ++part) {
        const long long pixel = r * columns + c, at = 4 * pixel + part;
        blurred[at] = image[at];
        if (part == 3 || keep[pixel]) continue;
        long long sum = 4;
        for (long long dr = -1; dr <= 1; ++dr)
          for (long long dc = -1; dc <= 1; ++dc) {
            const long long row = std::clamp(r + dr, 0LL, rows - 1), column = std::clamp(c + dc, 0LL, columns - 1);
            sum += image[4 * (row * columns + column) + part];
          }
        blurred[at] = std::min(255LL, sum / 9 * static_cast<long long>(gain[part]));
      }
}
