__global__ void add_up(const float* x, float* sum, int n) {
  __shared__ float part[256];
  part[threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] : 0;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *sum = part[0];
}

extern "C" void reduce(const float* x, float* sum, int n) { add_up<<<1, 256>>>(x, sum, n); }
