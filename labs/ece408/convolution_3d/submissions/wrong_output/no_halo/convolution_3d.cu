// Tiles with a halo in shared memory, the kernel in constant memory.
constexpr int kTile = 8, kHalo = kTile + 2;

__constant__ float weights[3][3][3];

__global__ void convolve_tile(const float* input, float* output, int z_size, int y_size,
                              int x_size) {
  __shared__ float tile[kHalo][kHalo][kHalo];
  const int thread = (threadIdx.z * kTile + threadIdx.y) * kTile + threadIdx.x;
  for (int i = thread; i < kHalo * kHalo * kHalo; i += kTile * kTile * kTile) {
    const int z = blockIdx.z * kTile + i / (kHalo * kHalo) - 1;
    const int y = blockIdx.y * kTile + i / kHalo % kHalo - 1;
    const int x = blockIdx.x * kTile + i % kHalo - 1;
    const bool core = i / (kHalo * kHalo) % (kHalo - 1) > 0 &&
                      i / kHalo % kHalo % (kHalo - 1) > 0 && i % kHalo % (kHalo - 1) > 0;
    const bool inside =
        core && z >= 0 && z < z_size && y >= 0 && y < y_size && x >= 0 && x < x_size;
    tile[i / (kHalo * kHalo)][i / kHalo % kHalo][i % kHalo] =
        inside ? input[(z * y_size + y) * x_size + x] : 0;
  }
  __syncthreads();
  const int z = blockIdx.z * kTile + threadIdx.z;
  const int y = blockIdx.y * kTile + threadIdx.y;
  const int x = blockIdx.x * kTile + threadIdx.x;
  if (z >= z_size || y >= y_size || x >= x_size) return;
  float sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        sum += tile[threadIdx.z + i][threadIdx.y + j][threadIdx.x + k] * weights[i][j][k];
  output[(z * y_size + y) * x_size + x] = sum;
}

void convolve(const float* input, const float* kernel, float* output, int z_size, int y_size,
              int x_size) {
  cudaMemcpyToSymbol(weights, kernel, sizeof(weights), 0, cudaMemcpyDeviceToDevice);
  const dim3 block(kTile, kTile, kTile);
  const dim3 blocks((x_size + kTile - 1) / kTile, (y_size + kTile - 1) / kTile,
                    (z_size + kTile - 1) / kTile);
  convolve_tile<<<blocks, block>>>(input, output, z_size, y_size, x_size);
}
