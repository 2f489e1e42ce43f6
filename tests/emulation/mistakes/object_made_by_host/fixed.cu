// A kernel makes the object; the host copies data alone.
struct Shape {
  __host__ __device__ virtual ~Shape() {}
  __host__ __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __host__ __device__ explicit Square(float s) : side(s) {}
  __host__ __device__ float area() const override { return side * side; }
};

__global__ void make(Shape** shape, const float* side) { *shape = new Square(*side); }
__global__ void areas(Shape** shape, float* x) { x[threadIdx.x] = (*shape)->area(); }
__global__ void destroy(Shape** shape) { delete *shape; }

extern "C" int run() {
  float *x, *side;
  const float two = 2;
  const Square of_the_host(3);
  Shape** shape;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMalloc(&side, sizeof(float));
  cudaMalloc(&shape, sizeof(Shape*));
  cudaMemcpy(side, &two, sizeof two, cudaMemcpyHostToDevice);
  make<<<1, 1>>>(shape, side);
  areas<<<1, 32>>>(shape, x);
  destroy<<<1, 1>>>(shape);
  cudaFree(x);
  cudaFree(side);
  cudaFree(shape);
  return of_the_host.area() == 9 ? 0 : 1;
}
