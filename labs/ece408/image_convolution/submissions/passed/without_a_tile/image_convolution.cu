__global__ void convolve_pixel(const float* image, const float* mask, float* output, int rows,
                               int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= columns) return;
  for (int channel = 0; channel < 3; ++channel) {
    float sum = 0;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) {
        const int y = row + i - 2, x = column + j - 2;
        if (y >= 0 && y < rows && x >= 0 && x < columns)
          sum += image[(y * columns + x) * 3 + channel] * mask[i * 5 + j];
      }
    output[(row * columns + column) * 3 + channel] = fminf(fmaxf(sum, 0), 1);
  }
}

void convolve(const float* image, const float* mask, float* output, int rows, int columns) {
  convolve_pixel<<<dim3((columns + 127) / 128, rows), 128>>>(image, mask, output, rows, columns);
}
