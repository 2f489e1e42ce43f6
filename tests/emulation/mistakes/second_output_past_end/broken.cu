// Each thread writes two maps, and the last map has no neighbour.
__global__ void scale(float* y, const float* x, const float* factors, int maps, int pixels) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  const int m = blockIdx.y, image = blockIdx.z;
  if (p >= pixels) return;
  for (int i = 0; i < 2; ++i)
    y[(image * maps + m + i) * pixels + p] = factors[m] * x[image * pixels + p];  // here
}

extern "C" int run() {
  const int images = 4, maps = 5, pixels = 300;
  static float in[images * pixels], factors[maps], out[images * maps * pixels];
  float *x, *f, *y;
  cudaMalloc(&x, sizeof in);
  cudaMalloc(&f, sizeof factors);
  cudaMalloc(&y, sizeof out);
  cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemcpy(f, factors, sizeof factors, cudaMemcpyHostToDevice);
  const dim3 grid((pixels + 127) / 128, maps, images);
  scale<<<grid, 128>>>(y, x, f, maps, pixels);
  cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(f);
  cudaFree(y);
  return 0;
}
