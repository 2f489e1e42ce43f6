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

}  // namespace

cublasStatus_t opgrade_emulation::multiply(cublasHandle_t handle, const Product& p, Factor a,
                                           Factor b, Factor c, int batch) {
  Real in, same, out, scalar;
  if (!known(a.type, in) || !known(b.type, same) || !known(c.type, out) ||
      !known(p.scalar, scalar) || in != same || (in == Real::f64) != (out == Real::f64))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return run(handle,
             {p.m, p.n, p.k, read_real(p.alpha, scalar, 0), read_real(p.beta, scalar, 0),
              argument("A", a.data, in, a.ld, p.ta, p.m, p.k),
              argument("B", b.data, in, b.ld, p.tb, p.k, p.n),
              argument("C", c.data, out, c.ld, CUBLAS_OP_N, p.m, p.n), a.stride, b.stride, c.stride,
              batch},
             __builtin_return_address(0));
}

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

cublasStatus_t cublasSgemv_v2(cublasHandle_t h, cublasOperation_t t, int m, int n,
                              const float* alpha, const float* a, int lda, const float* x, int incx,
                              const float* beta, float* y, int incy) {
  const int rows = t == CUBLAS_OP_N ? m : n, inner = t == CUBLAS_OP_N ? n : m;
  // A vector with a step is a matrix of one row with that leading dimension, transposed.
  return run(h,
             {rows, 1, inner, *alpha, *beta, argument("A", a, Real::f32, lda, t, rows, inner),
              argument("B", x, Real::f32, incx, CUBLAS_OP_T, inner, 1),
              argument("y", y, Real::f32, incy, CUBLAS_OP_T, rows, 1)},
             SITE);
}
cublasStatus_t cublasSaxpy_v2(cublasHandle_t h, int n, const float* alpha, const float* x, int incx,
                              float* y, int incy) {
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!reachable(argument("A", x, Real::f32, incx, CUBLAS_OP_T, n, 1), SITE) ||
      !reachable(argument("y", y, Real::f32, incy, CUBLAS_OP_T, n, 1), SITE))
    return CUBLAS_STATUS_EXECUTION_FAILED;
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
