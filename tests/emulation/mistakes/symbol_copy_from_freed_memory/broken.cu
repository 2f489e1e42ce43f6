// A copy to a __constant__ variable reads memory that was freed.
__constant__ float mask[4];

__global__ void use(float* y) { y[threadIdx.x] = mask[threadIdx.x % 4]; }

extern "C" int run() {
  float host[4] = {1, 2, 3, 4};
  float *y, *few;
  cudaMalloc(&y, 32 * sizeof(float));
  cudaMalloc(&few, sizeof mask);
  cudaMemcpy(few, host, sizeof mask, cudaMemcpyHostToDevice);
  cudaFree(few);
  cudaMemcpyToSymbol(mask, few, sizeof mask, 0, cudaMemcpyDeviceToDevice);  // here
  use<<<1, 32>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
  return 0;
}
