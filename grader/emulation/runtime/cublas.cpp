#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cublas_v2.h"
#include "grader/emulation/runtime/findings.hpp"
#include "grader/emulation/runtime/graphs.hpp"
#include "grader/emulation/runtime/hooks.hpp"
#include "grader/emulation/runtime/memory.hpp"
#include "grader/emulation/runtime/state.hpp"
#include "opgrade_emulation/narrow_formats.hpp"

namespace opgrade_emulation {
namespace {

enum class Real { f32, f16, bf16, f64 };

/// A column-major matrix: element (i, j) of op(matrix) is at [i + j*ld], or [j + i*ld] if
/// transposed.
struct MatrixView {
  void* data;
  Real type;
  long ld;
  bool transposed;
};

constexpr int kRows = 16, kColumns = 4;  // elements of C that one pass keeps in registers
constexpr int kBlockM = 256, kBlockN = 256, kBlockK = 256;

typedef float Vector __attribute__((vector_size(32)));

float read_float(const void* data, Real type, std::size_t i) {
  switch (type) {
    case Real::f32:
      return static_cast<const float*>(data)[i];
    case Real::f16:
      return HalfFormat::to(static_cast<const unsigned short*>(data)[i]);
    case Real::bf16:
      return BfloatFormat::to(static_cast<const unsigned short*>(data)[i]);
    case Real::f64:
      return static_cast<float>(static_cast<const double*>(data)[i]);
  }
  return 0;
}

void write_float(void* data, Real type, std::size_t i, float v) {
  switch (type) {
    case Real::f32:
      static_cast<float*>(data)[i] = v;
      break;
    case Real::f16:
      static_cast<unsigned short*>(data)[i] = HalfFormat::from(v);
      break;
    case Real::bf16:
      static_cast<unsigned short*>(data)[i] = BfloatFormat::from(v);
      break;
    case Real::f64:
      static_cast<double*>(data)[i] = v;
      break;
  }
}

std::size_t place(const MatrixView& m, long i, long j) {
  return static_cast<std::size_t>(m.transposed ? j + i * m.ld : i + j * m.ld);
}

/// Copies rows of A in groups of kRows, each [p][kRows]; pads with zeros at the edge.
void pack_a(const MatrixView& a, int i0, int rows, int p0, int depth, float* to) {
  for (int i = 0; i < rows; i += kRows) {
    for (int p = 0; p < depth; ++p) {
      for (int r = 0; r < kRows; ++r)
        *to++ = i + r < rows ? read_float(a.data, a.type, place(a, i0 + i + r, p0 + p)) : 0.0f;
    }
  }
}

void pack_b(const MatrixView& b, int j0, int columns, int p0, int depth, float* to) {
  for (int j = 0; j < columns; j += kColumns) {
    for (int p = 0; p < depth; ++p) {
      for (int c = 0; c < kColumns; ++c)
        *to++ = j + c < columns ? read_float(b.data, b.type, place(b, p0 + p, j0 + j + c)) : 0.0f;
    }
  }
}

/// sums[c*kBlockM + r] += sum over p of a[p][r] * b[p][c]
__attribute__((always_inline)) inline void multiply(const float* a, const float* b, int depth,
                                                    float* sums) {
  Vector acc[kColumns][2];
  for (int c = 0; c < kColumns; ++c) std::memcpy(acc[c], sums + c * kBlockM, sizeof acc[c]);
  for (int p = 0; p < depth; ++p) {
    Vector low, high;
    std::memcpy(&low, a + p * kRows, sizeof low);
    std::memcpy(&high, a + p * kRows + 8, sizeof high);
    for (int c = 0; c < kColumns; ++c) {
      const float each = b[p * kColumns + c];
      acc[c][0] += low * each;
      acc[c][1] += high * each;
    }
  }
  for (int c = 0; c < kColumns; ++c) std::memcpy(sums + c * kBlockM, acc[c], sizeof acc[c]);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void multiply_wide(const float* a, const float* b, int depth,
                                                       float* sums) {
  multiply(a, b, depth, sums);
}
#endif
void multiply_plain(const float* a, const float* b, int depth, float* sums) {
  multiply(a, b, depth, sums);
}

using Multiply = void (*)(const float*, const float*, int, float*);
Multiply best() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &multiply_wide;
#endif
  return &multiply_plain;
}

std::size_t size_of(Real type) { return type == Real::f32 ? 4 : type == Real::f64 ? 8 : 2; }

double read_real(const void* data, Real type, std::size_t index) {
  return type == Real::f64 ? static_cast<const double*>(data)[index]
                           : read_float(data, type, index);
}

/// C = alpha*op(A)*op(B) + beta*C with sums in float; if beta is 0, C is not read. A and B may be
/// of any type but f64; C is rounded once, at the end. The blocks and the order of sums are fixed,
/// so results do not depend on the number of cores.
void gemm(int m, int n, int k, float alpha, const MatrixView& a, const MatrixView& b, float beta,
          const MatrixView& c) {
  static const Multiply multiply_block = best();
  std::vector<float> left(kBlockM * kBlockK), right(kBlockN * kBlockK), sums(kBlockM * kBlockN);
  for (int j0 = 0; j0 < n; j0 += kBlockN) {
    const int columns = n - j0 < kBlockN ? n - j0 : kBlockN;
    for (int i0 = 0; i0 < m; i0 += kBlockM) {
      const int rows = m - i0 < kBlockM ? m - i0 : kBlockM;
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (int p0 = 0; p0 < k; p0 += kBlockK) {
        const int depth = k - p0 < kBlockK ? k - p0 : kBlockK;
        pack_a(a, i0, rows, p0, depth, left.data());
        pack_b(b, j0, columns, p0, depth, right.data());
        for (int j = 0; j < columns; j += kColumns) {
          for (int i = 0; i < rows; i += kRows)
            multiply_block(left.data() + i * depth, right.data() + j * depth, depth,
                           &sums[j * kBlockM + i]);
        }
      }
      for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) {
          const std::size_t at = place(c, i0 + i, j0 + j);
          const float old = beta != 0.0f ? beta * read_float(c.data, c.type, at) : 0.0f;
          write_float(c.data, c.type, at, alpha * sums[j * kBlockM + i] + old);
        }
      }
    }
  }
}

/// Like gemm(), in double; all matrices are f64.
void gemm_double(int m, int n, int k, double alpha, const MatrixView& a, const MatrixView& b,
                 double beta, const MatrixView& c) {
  const auto* left = static_cast<const double*>(a.data);
  const auto* right = static_cast<const double*>(b.data);
  auto* out = static_cast<double*>(c.data);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int p = 0; p < k; ++p) sum += left[place(a, i, p)] * right[place(b, p, j)];
      double& to = out[place(c, i, j)];
      to = alpha * sum + (beta != 0 ? beta * to : 0);
    }
  }
}

}  // namespace
}  // namespace opgrade_emulation

struct cublasContext {
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
};

using namespace opgrade_emulation;

namespace {

bool known(cudaDataType type, Real& out) {
  out = type == CUDA_R_16F    ? Real::f16
        : type == CUDA_R_16BF ? Real::bf16
        : type == CUDA_R_64F  ? Real::f64
                              : Real::f32;
  return out != Real::f32 || type == CUDA_R_32F;
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

/// Checks the pointer here, because the real library's access to a bad pointer is illegal on the
/// device.
bool reachable(const Argument& a, const void* site) {
  if (any_capture())
    report({.kind = "not_emulated",
            .message = "The emulated device lacks cuBLAS in a captured stream.",
            .site = site});
  if (a.bytes() == 0 || device_accessible(a.view.data, a.bytes())) return true;
  const char* kind = nullptr;
  const char* last = static_cast<const char*>(a.view.data);
  if (device_accessible(last, 1)) last += a.bytes() - 1;
  const std::string where = describe_address(last, kind);
  report({.kind = kind,
          .message = "cuBLAS needs " + std::to_string(a.bytes()) + " bytes of matrix " + a.name +
                     ": " + where,
          .site = site});
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
  finish_work_before_cublas();
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

void opgrade_emulation::finish_work_before_cublas() {
  finish_all({"cuBLAS", __builtin_return_address(0), false});
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
  finish_work_before_cublas();
  const int rows = t == CUBLAS_OP_N ? m : n, inner = t == CUBLAS_OP_N ? n : m;
  // A vector with a step is a transposed matrix of one row whose leading dimension is the step.
  return run(h,
             {rows, 1, inner, *alpha, *beta, argument("A", a, Real::f32, lda, t, rows, inner),
              argument("B", x, Real::f32, incx, CUBLAS_OP_T, inner, 1),
              argument("y", y, Real::f32, incy, CUBLAS_OP_T, rows, 1)},
             SITE);
}
cublasStatus_t cublasSaxpy_v2(cublasHandle_t h, int n, const float* alpha, const float* x, int incx,
                              float* y, int incy) {
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  finish_work_before_cublas();
  if (!reachable(argument("A", x, Real::f32, incx, CUBLAS_OP_T, n, 1), SITE) ||
      !reachable(argument("y", y, Real::f32, incy, CUBLAS_OP_T, n, 1), SITE))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  for (int i = 0; i < n; ++i)
    y[static_cast<long>(i) * incy] += *alpha * x[static_cast<long>(i) * incx];
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSscal_v2(cublasHandle_t h, int n, const float* alpha, float* x, int incx) {
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  finish_work_before_cublas();
  if (!reachable(argument("x", x, Real::f32, incx, CUBLAS_OP_T, n, 1), SITE))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  for (int i = 0; i < n; ++i) x[static_cast<long>(i) * incx] *= *alpha;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSgeam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, const float* alpha, const float* a, int lda, const float* beta,
                           const float* b, int ldb, float* c, int ldc) {
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  finish_work_before_cublas();
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
