// C++ linkage and no header: the declaration that opgrade includes makes it fit.
__global__ void add(const float* x, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

void reduce(const float* x, float* sum, int n) { add<<<(n + 127) / 128, 128>>>(x, sum, n); }
