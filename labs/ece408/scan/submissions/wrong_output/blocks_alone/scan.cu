__global__ void scan_blocks(const float* x, float* y, int n) {
  __shared__ float part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  for (int reach = 1; reach < 256; reach *= 2) {
    __syncthreads();
    const float add = threadIdx.x >= reach ? part[threadIdx.x - reach] : 0;
    __syncthreads();
    part[threadIdx.x] += add;
  }
  if (i < n) y[i] = part[threadIdx.x];
}

void scan(const float* x, float* y, int n) { scan_blocks<<<(n + 255) / 256, 256>>>(x, y, n); }
