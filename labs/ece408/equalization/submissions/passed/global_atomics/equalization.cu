// Levels and grey, one histogram, its scan by one block, new levels.
constexpr int kLevels = 256;

__device__ int level_of(float value) { return static_cast<int>(255 * value); }

__global__ void count(const float* image, unsigned int* histogram, int pixels) {
  for (int i = blockIdx.x * kLevels + threadIdx.x; i < pixels; i += gridDim.x * kLevels) {
    const float* const pixel = image + 3 * i;
    const int grey = static_cast<int>(0.21f * level_of(pixel[0]) + 0.71f * level_of(pixel[1]) +
                                      0.07f * level_of(pixel[2]));
    atomicAdd(&histogram[grey], 1);
  }
}

__global__ void scan(const unsigned int* histogram, float* share, int pixels) {
  __shared__ unsigned int sum[kLevels];
  sum[threadIdx.x] = histogram[threadIdx.x];
  for (int reach = 1; reach < kLevels; reach *= 2) {
    __syncthreads();
    const unsigned int before = threadIdx.x >= reach ? sum[threadIdx.x - reach] : 0;
    __syncthreads();
    sum[threadIdx.x] += before;
  }
  share[threadIdx.x] = static_cast<float>(sum[threadIdx.x]) / pixels;
}

__global__ void correct(const float* image, const float* share, float* output, int values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= values) return;
  const float level = 255 * (share[level_of(image[i])] - share[0]) / (1 - share[0]);
  output[i] = static_cast<int>(fminf(fmaxf(level, 0), 255)) / 255.0f;
}

void equalize(const float* image, float* output, int rows, int columns) {
  const int pixels = rows * columns;
  unsigned int* histogram;
  float* share;
  cudaMalloc(&histogram, kLevels * sizeof(unsigned int));
  cudaMalloc(&share, kLevels * sizeof(float));
  cudaMemset(histogram, 0, kLevels * sizeof(unsigned int));
  count<<<min((pixels + kLevels - 1) / kLevels, 256), kLevels>>>(image, histogram, pixels);
  scan<<<1, kLevels>>>(histogram, share, pixels);
  correct<<<(3 * pixels + 255) / 256, 256>>>(image, share, output, 3 * pixels);
  cudaFree(histogram);
  cudaFree(share);
}
