#include <gputk.h>

#include <vector>

namespace {

constexpr int kTile = 16, kWide = kTile + 2;

__device__ int clamped(int i, int end) { return min(max(i, 0), end - 1); }

__global__ void blur(const uchar4* in, uchar4* out, int rows, int columns) {
  __shared__ uchar4 pixels[kWide][kWide];
  for (int i = threadIdx.y * kTile + threadIdx.x; i < kWide * kWide; i += kTile * kTile) {
    const int row = clamped(blockIdx.y * kTile + i / kWide - 1, rows);
    const int column = clamped(blockIdx.x * kTile + i % kWide - 1, columns);
    pixels[i / kWide][i % kWide] = in[row * columns + column];
  }
  __syncthreads();
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  if (row >= rows || column >= columns) return;
  int red = 4, green = 4, blue = 4;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x) {
      const uchar4 pixel = pixels[threadIdx.y + y][threadIdx.x + x];
      red += pixel.x;
      green += pixel.y;
      blue += pixel.z;
    }
  out[row * columns + column] = make_uchar4(red / 9, green / 9, blue / 9, 255);
}

}  // namespace

int main(int argc, char** argv) {
  const gpuTKArg_t args = gpuTKArg_read(argc, argv);
  const gpuTKImage_t image = gpuTKImport(gpuTKArg_getInputFile(args, 0));
  const int rows = gpuTKImage_getHeight(image), columns = gpuTKImage_getWidth(image);
  const gpuTKImage_t blurred = gpuTKImage_new(columns, rows, 3);
  const size_t count = size_t(rows) * columns;
  std::vector<uchar4> pixels(count);
  const float* const levels = gpuTKImage_getData(image);
  const auto level = [&](size_t i) { return static_cast<unsigned char>(255 * levels[i] + 0.5f); };
  for (size_t i = 0; i < count; ++i) pixels[i] = make_uchar4(level(3 * i), level(3 * i + 1), level(3 * i + 2), 255);

  uchar4 *device_in, *device_out;
  cudaMalloc(&device_in, count * sizeof(uchar4));
  cudaMalloc(&device_out, count * sizeof(uchar4));
  cudaMemcpy(device_in, pixels.data(), count * sizeof(uchar4), cudaMemcpyHostToDevice);
  const dim3 blocks((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  blur<<<blocks, dim3(kTile, kTile)>>>(device_in, device_out, rows, columns);
  cudaMemcpy(pixels.data(), device_out, count * sizeof(uchar4), cudaMemcpyDeviceToHost);
  float* const out = gpuTKImage_getData(blurred);
  for (size_t i = 0; i < count; ++i) {
    out[3 * i] = pixels[i].x / 255.0f;
    out[3 * i + 1] = pixels[i].y / 255.0f;
    out[3 * i + 2] = pixels[i].z / 255.0f;
  }
  gpuTKSolution(args, blurred);

  cudaFree(device_in);
  cudaFree(device_out);
  gpuTKImage_delete(image);
  gpuTKImage_delete(blurred);
  return 0;
}
