#include <algorithm>
#include <string>

#include "cublas_v2.h"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/gemm.hpp"
#include "grader/emulation/runtime/graphs.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/state.hpp"

struct cublasContext {
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
};

using namespace opgrade_emulation;

namespace {

bool known(cudaDataType type, Real& out) {
  switch (type) {
    case CUDA_R_32F:
      out = Real::f32;
      return true;
    case CUDA_R_16F:
      out = Real::f16;
      return true;
    case CUDA_R_16BF:
      out = Real::bf16;
      return true;
    case CUDA_R_64F:
      out = Real::f64;
      return true;
    default:
      return false;
  }
}

/// One matrix argument: column-major, `rows` x `columns` as it is stored.
struct Argument {
  const char* name;
  MatrixView view;
  long rows, columns;

  std::size_t bytes() const {
    return rows <= 0 || columns <= 0
               ? 0
               : (static_cast<std::size_t>(columns - 1) * view.ld + rows) * size_of(view.type);
  }
};

/// The real library's access to a bad pointer is illegal on the device.
bool reachable(const Argument& a, const void* site) {
  if (any_capture()) {
    Finding finding;
    finding.kind = "not_emulated";
    finding.message = "The emulated device lacks cuBLAS in a captured stream.";
    finding.site = site;
    report(std::move(finding));
  }
  if (a.bytes() == 0 || device_accessible(a.view.data, a.bytes())) return true;
  const char* kind = nullptr;
  const char* last = static_cast<const char*>(a.view.data);
  if (device_accessible(last, 1)) last += a.bytes() - 1;
  Finding finding;
  finding.kind = "";
  const std::string where = describe_address(last, kind);
  finding.kind = kind;
  finding.site = site;
  finding.message = std::string("cuBLAS needs ") + std::to_string(a.bytes()) + " bytes of matrix " +
                    a.name + ": " + where;
  report(std::move(finding));
  set_sticky_error(cudaErrorIllegalAddress);
  return false;
}

struct Gemm {
  int m, n, k;
  double alpha, beta;
  Argument a, b, c;
  long long stride_a = 0, stride_b = 0, stride_c = 0;
  int batch = 1;
};

Argument argument(const char* name, const void* data, Real type, int ld, cublasOperation_t op,
                  long rows, long columns) {
  const bool transposed = op != CUBLAS_OP_N;
  return {name,
          {const_cast<void*>(data), type, ld, transposed},
          transposed ? columns : rows,
          transposed ? rows : columns};
}

cublasStatus_t run(cublasHandle_t handle, Gemm g, const void* site) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (g.m < 0 || g.n < 0 || g.k < 0 || g.batch < 0) return CUBLAS_STATUS_INVALID_VALUE;
  for (const Argument* x : {&g.a, &g.b, &g.c}) {
    if (x->view.ld < std::max(1l, x->rows)) return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (sticky_error() != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (g.m == 0 || g.n == 0) return CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < g.batch; ++i) {
    Gemm one = g;
    auto move = [i](Argument& x, long long stride) {
      x.view.data = static_cast<char*>(x.view.data) +
                    i * stride * static_cast<long long>(size_of(x.view.type));
    };
    move(one.a, g.stride_a);
    move(one.b, g.stride_b);
    move(one.c, g.stride_c);
    if (!reachable(one.a, site) || !reachable(one.b, site) || !reachable(one.c, site))
      return CUBLAS_STATUS_EXECUTION_FAILED;
    if (one.c.view.type == Real::f64) {
      gemm_double(g.m, g.n, g.k, g.alpha, one.a.view, one.b.view, g.beta, one.c.view);
    } else {
      gemm(g.m, g.n, g.k, static_cast<float>(g.alpha), one.a.view, one.b.view,
           static_cast<float>(g.beta), one.c.view);
    }
    if (check == nullptr) continue;
    for (long j = 0; j < one.c.columns; ++j) {
      const std::size_t width = size_of(one.c.view.type);
      check->written(static_cast<char*>(one.c.view.data) + j * one.c.view.ld * width,
                     one.c.rows * width);
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

Gemm make(Real type, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, double alpha,
          const void* a, int lda, const void* b, int ldb, double beta, void* c, int ldc) {
  return {m,
          n,
          k,
          alpha,
          beta,
          argument("A", a, type, lda, ta, m, k),
          argument("B", b, type, ldb, tb, k, n),
          argument("C", c, type, ldc, CUBLAS_OP_N, m, n)};
}

cublasStatus_t run_mixed(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                         int n, int k, double alpha, const void* a, cudaDataType a_type, int lda,
                         long long stride_a, const void* b, cudaDataType b_type, int ldb,
                         long long stride_b, double beta, void* c, cudaDataType c_type, int ldc,
                         long long stride_c, int batch, const void* site) {
  Real ra, rb, rc;
  if (!known(a_type, ra) || !known(b_type, rb) || !known(c_type, rc) || ra != rb ||
      (ra == Real::f64) != (rc == Real::f64))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  Gemm g = make(rc, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  g.a.view.type = g.b.view.type = ra;
  g.stride_a = stride_a;
  g.stride_b = stride_b;
  g.stride_c = stride_c;
  g.batch = batch;
  return run(handle, g, site);
}

double scalar(const void* p, bool half, bool wide) {
  return read_real(p, half ? Real::f16 : wide ? Real::f64 : Real::f32, 0);
}

}  // namespace

#define SITE __builtin_return_address(0)

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  handle->pointer_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void*, std::size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  *version = 130000;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define NAME(x) \
  case x:       \
    return #x;
    NAME(CUBLAS_STATUS_SUCCESS)
    NAME(CUBLAS_STATUS_NOT_INITIALIZED)
    NAME(CUBLAS_STATUS_ALLOC_FAILED)
    NAME(CUBLAS_STATUS_INVALID_VALUE)
    NAME(CUBLAS_STATUS_ARCH_MISMATCH)
    NAME(CUBLAS_STATUS_MAPPING_ERROR)
    NAME(CUBLAS_STATUS_EXECUTION_FAILED)
    NAME(CUBLAS_STATUS_INTERNAL_ERROR)
    NAME(CUBLAS_STATUS_NOT_SUPPORTED)
    NAME(CUBLAS_STATUS_LICENSE_ERROR)
#undef NAME
  }
  return "unknown cublas status";
}
const char* cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

cublasStatus_t cublasSgemm_v2(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                              int n, int k, const float* alpha, const float* a, int lda,
                              const float* b, int ldb, const float* beta, float* c, int ldc) {
  return run(h, make(Real::f32, ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc), SITE);
}
cublasStatus_t cublasDgemm_v2(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                              int n, int k, const double* alpha, const double* a, int lda,
                              const double* b, int ldb, const double* beta, double* c, int ldc) {
  return run(h, make(Real::f64, ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc), SITE);
}
cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, const __half* alpha, const __half* a, int lda,
                           const __half* b, int ldb, const __half* beta, __half* c, int ldc) {
  return run(h,
             make(Real::f16, ta, tb, m, n, k, (float)*alpha, a, lda, b, ldb, (float)*beta, c, ldc),
             SITE);
}
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t h, cublasOperation_t ta,
                                         cublasOperation_t tb, int m, int n, int k,
                                         const float* alpha, const float* a, int lda,
                                         long long stride_a, const float* b, int ldb,
                                         long long stride_b, const float* beta, float* c, int ldc,
                                         long long stride_c, int batch) {
  return run_mixed(h, ta, tb, m, n, k, *alpha, a, CUDA_R_32F, lda, stride_a, b, CUDA_R_32F, ldb,
                   stride_b, *beta, c, CUDA_R_32F, ldc, stride_c, batch, SITE);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t ta,
                                         cublasOperation_t tb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long stride_a, const __half* b, int ldb,
                                         long long stride_b, const __half* beta, __half* c, int ldc,
                                         long long stride_c, int batch) {
  return run_mixed(h, ta, tb, m, n, k, (float)*alpha, a, CUDA_R_16F, lda, stride_a, b, CUDA_R_16F,
                   ldb, stride_b, (float)*beta, c, CUDA_R_16F, ldc, stride_c, batch, SITE);
}
cublasStatus_t cublasSgemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                  int m, int n, int k, const float* alpha, const float* const a[],
                                  int lda, const float* const b[], int ldb, const float* beta,
                                  float* const c[], int ldc, int batch) {
  for (int i = 0; i < batch; ++i) {
    const cublasStatus_t status = run(
        h, make(Real::f32, ta, tb, m, n, k, *alpha, a[i], lda, b[i], ldb, *beta, c[i], ldc), SITE);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                             int n, int k, const float* alpha, const void* a, cudaDataType a_type,
                             int lda, const void* b, cudaDataType b_type, int ldb,
                             const float* beta, void* c, cudaDataType c_type, int ldc) {
  return run_mixed(h, ta, tb, m, n, k, *alpha, a, a_type, lda, 0, b, b_type, ldb, 0, *beta, c,
                   c_type, ldc, 0, 1, SITE);
}
cublasStatus_t cublasSgemv_v2(cublasHandle_t h, cublasOperation_t t, int m, int n,
                              const float* alpha, const float* a, int lda, const float* x, int incx,
                              const float* beta, float* y, int incy) {
  const int rows = t == CUBLAS_OP_N ? m : n, inner = t == CUBLAS_OP_N ? n : m;
  // A vector with a step is a matrix of one row with that leading dimension, transposed.
  Gemm g = make(Real::f32, t, CUBLAS_OP_T, rows, 1, inner, *alpha, a, lda, x, incx, *beta, y, incy);
  g.c = argument("y", y, Real::f32, incy, CUBLAS_OP_T, rows, 1);
  return run(h, g, SITE);
}
cublasStatus_t cublasSaxpy_v2(cublasHandle_t h, int n, const float* alpha, const float* x, int incx,
                              float* y, int incy) {
  const float one = 1.0f;
  Gemm g =
      make(Real::f32, CUBLAS_OP_T, CUBLAS_OP_N, n, 1, 1, *alpha, x, incx, &one, 1, 1.0, y, incy);
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  g.c = argument("y", y, Real::f32, incy, CUBLAS_OP_T, n, 1);
  if (!reachable(g.a, SITE) || !reachable(g.c, SITE)) return CUBLAS_STATUS_EXECUTION_FAILED;
  for (int i = 0; i < n; ++i)
    y[static_cast<long>(i) * incy] += *alpha * x[static_cast<long>(i) * incx];
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSscal_v2(cublasHandle_t h, int n, const float* alpha, float* x, int incx) {
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!reachable(argument("x", x, Real::f32, incx, CUBLAS_OP_T, n, 1), SITE))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  for (int i = 0; i < n; ++i) x[static_cast<long>(i) * incx] *= *alpha;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSgeam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, const float* alpha, const float* a, int lda, const float* beta,
                           const float* b, int ldb, float* c, int ldc) {
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      const float left =
          *alpha != 0 ? *alpha * a[ta == CUBLAS_OP_N ? i + (long)j * lda : j + (long)i * lda] : 0;
      const float right =
          *beta != 0 ? *beta * b[tb == CUBLAS_OP_N ? i + (long)j * ldb : j + (long)i * ldb] : 0;
      c[i + (long)j * ldc] = left + right;
    }
    if (check != nullptr) check->written(c + (long)j * ldc, static_cast<std::size_t>(m) * 4);
  }
  return CUBLAS_STATUS_SUCCESS;
}
}

cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType a_type,
                            int lda, const void* b, cudaDataType b_type, int ldb, const void* beta,
                            void* c, cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t) {
  const bool half = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
  const bool wide = compute == CUBLAS_COMPUTE_64F;
  return run_mixed(h, ta, tb, m, n, k, scalar(alpha, half, wide), a, a_type, lda, 0, b, b_type, ldb,
                   0, scalar(beta, half, wide), c, c_type, ldc, 0, 1, SITE);
}
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType a_type,
                            int lda, const void* b, cudaDataType b_type, int ldb, const void* beta,
                            void* c, cudaDataType c_type, int ldc, cudaDataType compute,
                            cublasGemmAlgo_t) {
  const bool half = compute == CUDA_R_16F, wide = compute == CUDA_R_64F;
  return run_mixed(h, ta, tb, m, n, k, scalar(alpha, half, wide), a, a_type, lda, 0, b, b_type, ldb,
                   0, scalar(beta, half, wide), c, c_type, ldc, 0, 1, SITE);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  const bool half = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
  const bool wide = compute == CUBLAS_COMPUTE_64F;
  return run_mixed(h, ta, tb, m, n, k, scalar(alpha, half, wide), a, a_type, lda, stride_a, b,
                   b_type, ldb, stride_b, scalar(beta, half, wide), c, c_type, ldc, stride_c, batch,
                   SITE);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int batch, cudaDataType compute,
                                          cublasGemmAlgo_t) {
  const bool half = compute == CUDA_R_16F, wide = compute == CUDA_R_64F;
  return run_mixed(h, ta, tb, m, n, k, scalar(alpha, half, wide), a, a_type, lda, stride_a, b,
                   b_type, ldb, stride_b, scalar(beta, half, wide), c, c_type, ldc, stride_c, batch,
                   SITE);
}
