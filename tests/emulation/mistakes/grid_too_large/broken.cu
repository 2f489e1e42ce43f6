// The grid has four times as many images as there are.
__global__ void scale(float* y, const float* x, const float* factors, int maps, int pixels) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  const int m = blockIdx.y, image = blockIdx.z;
  if (p >= pixels) return;
  y[(image * maps + m) * pixels + p] = factors[m] * x[image * pixels + p];
}

extern "C" int run() {
  const int images = 3, maps = 2, pixels = 300;
  static float in[images * pixels], factors[maps], out[images * maps * pixels];
  float *x, *f, *y;
  cudaMalloc(&x, sizeof in);
  cudaMalloc(&f, sizeof factors);
  cudaMalloc(&y, sizeof out);
  cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemcpy(f, factors, sizeof factors, cudaMemcpyHostToDevice);
  const dim3 grid((pixels + 127) / 128, maps, 4 * images);
  scale<<<grid, 128>>>(y, x, f, maps, pixels);  // here
  cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(f);
  cudaFree(y);
  return 0;
}
