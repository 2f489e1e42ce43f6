__global__ void convolve_element(const float* input, const float* kernel, float* output, int z_size,
                                 int y_size, int x_size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= x_size) return;
  float sum = 0;
  for (int k = 0; k < 27; ++k) {
    const int from_z = z + k / 9 - 1, from_y = y + k / 3 % 3 - 1, from_x = x + k % 3 - 1;
    if (from_z >= 0 && from_z < z_size && from_y >= 0 && from_y < y_size && from_x >= 0 &&
        from_x < x_size)
      sum += input[(from_z * y_size + from_y) * x_size + from_x] * kernel[k];
  }
  output[(z * y_size + y) * x_size + x] = sum;
}

void convolve(const float* input, const float* kernel, float* output, int z_size, int y_size,
              int x_size) {
  const dim3 blocks((x_size + 31) / 32, y_size, z_size);
  convolve_element<<<blocks, 32>>>(input, kernel, output, z_size, y_size, x_size);
}
