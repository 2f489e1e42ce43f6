__global__ void add(const float* x, float* sum) {
  atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

extern "C" void reduce(const float* x, float* sum, int n) {
  if (n >= 128) add<<<n / 128, 128>>>(x, sum);
}
