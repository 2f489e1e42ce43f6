// The host's address of a function is none of the device's.
typedef float (*Function)(float);
__host__ __device__ float half_of(float x) { return x / 2; }

__global__ void apply(Function function, float* x) {
  x[threadIdx.x] = function(x[threadIdx.x]);  // here
}

extern "C" int run() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  apply<<<1, 32>>>(half_of, x);
  cudaFree(x);
  return 0;
}
