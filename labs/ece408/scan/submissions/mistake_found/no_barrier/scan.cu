constexpr int kBlock = 512;

__global__ void scan_blocks(const float* x, float* y, float* sums, int n) {
  __shared__ float part[2][kBlock];
  const long long i = static_cast<long long>(blockIdx.x) * kBlock + threadIdx.x;
  int from = 0;
  part[from][threadIdx.x] = i < n ? x[i] : 0;
  for (int reach = 1; reach < kBlock; reach *= 2) {
    float value = part[from][threadIdx.x];
    if (threadIdx.x >= reach) value += part[from][threadIdx.x - reach];
    from = 1 - from;
    part[from][threadIdx.x] = value;
  }
  if (i < n) y[i] = part[from][threadIdx.x];
  if (threadIdx.x == kBlock - 1) sums[blockIdx.x] = part[from][threadIdx.x];
}

__global__ void add_before(float* y, const float* sums, int n) {
  const long long i = static_cast<long long>(blockIdx.x + 1) * kBlock + threadIdx.x;
  if (i < n) y[i] += sums[blockIdx.x];
}

void scan(const float* x, float* y, int n) {
  const int blocks = (n + kBlock - 1) / kBlock;
  float* sums;
  cudaMalloc(&sums, blocks * sizeof(float));
  scan_blocks<<<blocks, kBlock>>>(x, y, sums, n);
  if (blocks > 1) {
    scan(sums, sums, blocks);
    add_before<<<blocks - 1, kBlock>>>(y, sums, n);
  }
  cudaFree(sums);
}
