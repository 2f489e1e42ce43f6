// The address is the device's.
typedef float (*Function)(float);
__host__ __device__ float half_of(float x) { return x / 2; }
__device__ Function address = half_of;

__global__ void apply(Function function, float* x) {
  x[threadIdx.x] = function(x[threadIdx.x]);
}

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  Function function;
  cudaMemcpyFromSymbol(&function, address, sizeof function);
  apply<<<1, 32>>>(function, x);
  cudaFree(x);
  return 0;
}
