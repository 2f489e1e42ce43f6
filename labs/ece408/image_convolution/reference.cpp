#include "reference.h"

// Elements outside of the image are 0; what is beyond 0 to 1 is cut.
void reference(const float* image, const float* mask, double* output, double*, long long rows,
               long long columns) {
  for (long long row = 0; row < rows; ++row)
    for (long long column = 0; column < columns; ++column)
      for (int channel = 0; channel < 3; ++channel) {
        double sum = 0;
        for (long long i = 0; i < 5; ++i)
          for (long long j = 0; j < 5; ++j) {
            const long long y = row + i - 2, x = column + j - 2;
            if (y >= 0 && y < rows && x >= 0 && x < columns)
              sum += static_cast<double>(image[(y * columns + x) * 3 + channel]) * mask[i * 5 + j];
          }
        output[(row * columns + column) * 3 + channel] = sum < 0 ? 0 : sum > 1 ? 1 : sum;
      }
}
