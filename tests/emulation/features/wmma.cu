// Warp matrix products against plain loops; the values are small integers, so sums are exact.
#include <mma.h>

#include <vector>

#include "expect.cuh"

using namespace nvcuda;

template <class T, class LA, class LB, int m, int n, int k, class Acc>
__global__ void product(Acc* c, const T* a, const T* b, int lda, int ldb, int ldc) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, LA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, Acc> fc;
  wmma::fill_fragment(fc, (Acc)1.0f);
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] + fc.x[i];
  wmma::store_matrix_sync(c, fc, ldc, wmma::mem_row_major);
}

template <class LA, class LB>
__global__ void product_tf32(float* c, const float* a, const float* b, int lda, int ldb, int ldc) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, LA> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, LB> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.5f);
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  wmma::mma_sync(fc, fa, fb, fc);
  for (auto& x : fc.x) x *= 2;
  wmma::store_matrix_sync(c, fc, ldc, wmma::mem_col_major);
}

template <class T>
T* to_device(const std::vector<float>& values) {
  std::vector<T> host;
  for (const float v : values) host.push_back(T(v));
  T* out;
  cudaMalloc(&out, host.size() * sizeof(T));
  cudaMemcpy(out, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return out;
}

template <class T, class LA, class LB, int m, int n, int k, class Acc, class Kernel>
void check(Kernel kernel, bool columns, float start) {
  const bool a_rows = std::is_same<LA, wmma::row_major>::value,
             b_rows = std::is_same<LB, wmma::row_major>::value;
  const int lda = (a_rows ? k : m) + 16, ldb = (b_rows ? n : k) + 32, ldc = (columns ? m : n) + 8;
  std::vector<float> a((a_rows ? m : k) * lda), b((b_rows ? k : n) * ldb);
  for (size_t i = 0; i < a.size(); ++i) a[i] = (int)(i * 7 % 11) - 5;
  for (size_t i = 0; i < b.size(); ++i) b[i] = (int)(i * 5 % 13) - 6;
  T *da = to_device<T>(a), *db = to_device<T>(b);
  std::vector<Acc> c((columns ? n : m) * ldc);
  Acc* dc;
  cudaMalloc(&dc, c.size() * sizeof(Acc));
  cudaMemset(dc, 0, c.size() * sizeof(Acc));
  kernel<<<1, 32>>>(dc, da, db, lda, ldb, ldc);
  cudaMemcpy(c.data(), dc, c.size() * sizeof(Acc), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = start;
      for (int p = 0; p < k; ++p)
        sum += a[a_rows ? i * lda + p : p * lda + i] * b[b_rows ? p * ldb + j : j * ldb + p];
      wrong += (float)c[columns ? j * ldc + i : i * ldc + j] != 2 * sum;
    }
  }
  EXPECT(wrong == 0);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}

using Row = wmma::row_major;
using Col = wmma::col_major;
#define CHECK(T, LA, LB, m, n, k, Acc) \
  check<T, LA, LB, m, n, k, Acc>(product<T, LA, LB, m, n, k, Acc>, false, 1.0f)

extern "C" int run() {
  CHECK(half, Row, Row, 16, 16, 16, float);
  CHECK(half, Row, Col, 16, 16, 16, float);
  CHECK(half, Col, Row, 16, 16, 16, half);
  CHECK(half, Col, Col, 32, 8, 16, float);
  CHECK(half, Row, Row, 8, 32, 16, float);
  CHECK(__nv_bfloat16, Row, Col, 16, 16, 16, float);
  CHECK(signed char, Row, Col, 16, 16, 16, int);
  CHECK(double, Row, Col, 8, 8, 4, double);
  check<float, Row, Row, 16, 16, 8, float>(product_tf32<Row, Row>, true, 0.5f);
  check<float, Col, Col, 16, 16, 8, float>(product_tf32<Col, Col>, true, 0.5f);
  EXPECT(cudaGetLastError() == cudaSuccess);
  return failures;
}
