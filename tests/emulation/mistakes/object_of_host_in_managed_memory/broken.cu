// The host makes an object with virtual functions in managed memory.
#include <new>

struct Scale {
  __host__ __device__ virtual float of(float x) const { return x; }
};
struct Twice : Scale {
  __host__ __device__ float of(float x) const override { return 2 * x; }
};

__global__ void apply(const Scale* scale, float* x) {
  x[threadIdx.x] = scale->of(x[threadIdx.x]);  // here
}

extern "C" int run() {
  float* x;
  void* place;
  cudaMallocManaged(&x, 32 * sizeof(float));
  cudaMallocManaged(&place, sizeof(Twice));
  for (int i = 0; i < 32; ++i) x[i] = i;
  apply<<<1, 32>>>(new (place) Twice, x);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(place);
  return 0;
}
