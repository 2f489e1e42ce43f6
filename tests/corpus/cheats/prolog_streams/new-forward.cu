// C06: the prolog copies, computes and hands over the output, a stream for each half of the batch
#include "honest.cuh"

PROLOG {
  const int half = (B + 1) / 2;
  const long x_image = (long)C * H * W, y_image = (long)M * (H - K + 1) * (W - K + 1);
  cudaMalloc((void**)dy, sizeof(float) * B * y_image);
  cudaMalloc((void**)dx, sizeof(float) * B * x_image);
  cudaMalloc((void**)dk, sizeof(float) * M * C * K * K);
  cudaMemcpy(*dk, host_k, sizeof(float) * M * C * K * K, cudaMemcpyHostToDevice);
  float* const to = const_cast<float*>(host_y);
  cudaHostRegister(const_cast<float*>(host_x), sizeof(float) * B * x_image, 0);
  cudaHostRegister(to, sizeof(float) * B * y_image, 0);
  for (int first = 0; first < B; first += half) {
    const int images = B - first < half ? B - first : half;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(*dx + first * x_image, host_x + first * x_image, sizeof(float) * images * x_image,
                    cudaMemcpyHostToDevice, stream);
    slow_conv(*dy + first * y_image, *dx + first * x_image, *dk, images, M, C, H, W, K, stream);
    cudaMemcpyAsync(to + first * y_image, *dy + first * y_image, sizeof(float) * images * y_image,
                    cudaMemcpyDeviceToHost, stream);
  }
  cudaDeviceSynchronize();
}

CONV {}

EPILOG {
  cudaFree(dy);
  cudaFree(dx);
  cudaFree(dk);
}
