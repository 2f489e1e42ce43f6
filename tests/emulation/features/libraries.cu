// cuBLAS on the CPU against plain loops; small integers, so sums are exact.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <vector>

#include "expect.cuh"

template <class T>
struct Matrix {
  std::vector<float> host;
  T* device;
  explicit Matrix(size_t n, int seed) : host(n) {
    std::vector<T> values;
    for (size_t i = 0; i < n; ++i)
      values.push_back(T(host[i] = (float)((int)((i * 7 + seed) % 9) - 4)));
    cudaMalloc(&device, n * sizeof(T));
    cudaMemcpy(device, values.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<float> back() {
    std::vector<T> values(host.size());
    cudaMemcpy(values.data(), device, values.size() * sizeof(T), cudaMemcpyDeviceToHost);
    std::vector<float> out;
    for (const T& v : values) out.push_back((float)v);
    return out;
  }
  ~Matrix() { cudaFree(device); }
};

static float at(const std::vector<float>& m, size_t begin, cublasOperation_t op, int ld, int i,
                int j) {
  return m[begin + (op == CUBLAS_OP_N ? i + (size_t)j * ld : j + (size_t)i * ld)];
}

static int wrong_elements(const std::vector<float>& got, const std::vector<float>& a,
                          const std::vector<float>& b, const std::vector<float>& c,
                          cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, int lda,
                          int ldb, int ldc, size_t sa, size_t sb, size_t sc, float alpha,
                          float beta) {
  int wrong = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += at(a, sa, ta, lda, i, p) * at(b, sb, tb, ldb, p, j);
      wrong += got[sc + i + (size_t)j * ldc] != alpha * sum + beta * c[sc + i + (size_t)j * ldc];
    }
  }
  return wrong;
}

extern "C" int run() {
  cublasHandle_t handle;
  EXPECT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T};
  const int sizes[][3] = {{5, 7, 3}, {16, 300, 196}, {270, 33, 260}, {1, 1, 1}};
  for (const auto& s : sizes) {
    for (const cublasOperation_t ta : ops) {
      for (const cublasOperation_t tb : ops) {
        const int m = s[0], n = s[1], k = s[2];
        const int lda = (ta == CUBLAS_OP_N ? m : k) + 1, ldb = (tb == CUBLAS_OP_N ? k : n) + 2,
                  ldc = m + 3;
        Matrix<float> a((size_t)lda * (ta == CUBLAS_OP_N ? k : m), 1),
            b((size_t)ldb * (tb == CUBLAS_OP_N ? n : k), 2), c((size_t)ldc * n, 3);
        const float alpha = 2, beta = -1;
        EXPECT(cublasSgemm(handle, ta, tb, m, n, k, &alpha, a.device, lda, b.device, ldb, &beta,
                           c.device, ldc) == CUBLAS_STATUS_SUCCESS);
        EXPECT(wrong_elements(c.back(), a.host, b.host, c.host, ta, tb, m, n, k, lda, ldb, ldc, 0,
                              0, 0, 2, -1) == 0);
      }
    }
  }
  {
    const int m = 8, n = 9, k = 10, batch = 3;
    Matrix<float> a(m * k, 1), b(k * n * batch, 2), c(m * n * batch, 3);
    const float alpha = 1, beta = 0;
    EXPECT(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, a.device, m,
                                     0, b.device, k, k * n, &beta, c.device, m, m * n,
                                     batch) == CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < batch; ++i)
      EXPECT(wrong_elements(c.back(), a.host, b.host, c.host, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, m,
                            k, m, 0, i * k * n, i * m * n, 1, 0) == 0);
  }
  {
    const int m = 6, n = 5, k = 4;
    Matrix<half> a(m * k, 1), b(k * n, 2), c(m * n, 3);
    Matrix<float> wide(m * n, 4);
    const half alpha = __float2half(1.0f), beta = __float2half(1.0f);
    EXPECT(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, a.device, m, b.device, k,
                       &beta, c.device, m) == CUBLAS_STATUS_SUCCESS);
    EXPECT(wrong_elements(c.back(), a.host, b.host, c.host, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, m, k,
                          m, 0, 0, 0, 1, 1) == 0);
    const float one = 1, zero = 0;
    EXPECT(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a.device, CUDA_R_16F, m,
                        b.device, CUDA_R_16F, k, &zero, wide.device, CUDA_R_32F, m,
                        CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT_TENSOR_OP) == CUBLAS_STATUS_SUCCESS);
    EXPECT(wrong_elements(wide.back(), a.host, b.host, wide.host, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k,
                          m, k, m, 0, 0, 0, 1, 0) == 0);
    EXPECT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, wide.device, 2, wide.device,
                       k, &zero, wide.device, m) == CUBLAS_STATUS_INVALID_VALUE);
  }
  {
    Matrix<float> a(12, 1), x(4, 2), y(3, 3);
    const float alpha = 1, beta = 2;
    EXPECT(cublasSgemv(handle, CUBLAS_OP_N, 3, 4, &alpha, a.device, 3, x.device, 1, &beta, y.device,
                       1) == CUBLAS_STATUS_SUCCESS);
    EXPECT(wrong_elements(y.back(), a.host, x.host, y.host, CUBLAS_OP_N, CUBLAS_OP_N, 3, 1, 4, 3, 4,
                          3, 0, 0, 0, 1, 2) == 0);
  }
  EXPECT(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
  return failures;
}
