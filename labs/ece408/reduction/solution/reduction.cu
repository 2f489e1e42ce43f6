// A sum in each block by halves in shared memory, then one atomic addition a block.
constexpr int kBlock = 256;

__global__ void add_up(const float* x, float* sum, int n) {
  __shared__ float part[kBlock];
  float own = 0;
  for (long long i = static_cast<long long>(blockIdx.x) * kBlock + threadIdx.x; i < n;
       i += static_cast<long long>(gridDim.x) * kBlock)
    own += x[i];
  part[threadIdx.x] = own;
  for (int half = kBlock / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

void reduce(const float* x, float* sum, int n) {
  const int blocks = n < 1024 * kBlock ? (n + kBlock - 1) / kBlock : 1024;
  add_up<<<blocks, kBlock>>>(x, sum, n);
}
