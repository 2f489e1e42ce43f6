#include "softmax.h"

#include <algorithm>
#include <cmath>

void softmax(const float* x, float* y, int rows, int columns) {
  for (int r = 0; r < rows; ++r, x += columns, y += columns) {
    const float largest = *std::max_element(x, x + columns);
    float sum = 0;
    for (int c = 0; c < columns; ++c) sum += y[c] = std::exp(x[c] - largest);
    for (int c = 0; c < columns; ++c) y[c] /= sum;
  }
}
