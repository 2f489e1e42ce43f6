// A kernel makes the object there.
#include <new>

struct Scale {
  __host__ __device__ virtual float of(float x) const { return x; }
};
struct Twice : Scale {
  __host__ __device__ float of(float x) const override { return 2 * x; }
};

__global__ void make(void* place) { new (place) Twice; }
__global__ void apply(const Scale* scale, float* x) { x[threadIdx.x] = scale->of(x[threadIdx.x]); }

extern "C" int run() {
  float* x;
  void* place;
  cudaMallocManaged(&x, 32 * sizeof(float));
  cudaMallocManaged(&place, sizeof(Twice));
  for (int i = 0; i < 32; ++i) x[i] = i;
  make<<<1, 1>>>(place);
  apply<<<1, 32>>>((Scale*)place, x);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(place);
  return 0;
}
