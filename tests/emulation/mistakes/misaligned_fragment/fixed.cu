// The corrected twin of broken.cu.
#include <mma.h>

using namespace nvcuda;

__global__ void product(float* c) {
  constexpr int kRow = 16 + 8;
  __shared__ half tile[16 * kRow];
  for (int i = threadIdx.x; i < 16 * kRow; i += 32) tile[i] = 1.0f;
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(a, tile, kRow);
  wmma::fill_fragment(b, 1.0f);
  wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

extern "C" int run() {
  float* c;
  cudaMalloc(&c, 256 * sizeof(float));
  product<<<1, 32>>>(c);
  cudaFree(c);
  return 0;
}
