// Stands in for cublas_v2.h: the matrix products and a few vector routines, on the CPU.
#pragma once
#pragma GCC system_header

#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "library_types.h"

typedef struct cublasContext* cublasHandle_t;
typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100
} cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;

extern "C" {
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
const char* cublasGetStatusString(cublasStatus_t status);
const char* cublasGetStatusName(cublasStatus_t status);

cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t t, int m, int n,
                              const float* alpha, const float* a, int lda, const float* x, int incx,
                              const float* beta, float* y, int incy);
cublasStatus_t cublasSaxpy_v2(cublasHandle_t handle, int n, const float* alpha, const float* x,
                              int incx, float* y, int incy);
cublasStatus_t cublasSscal_v2(cublasHandle_t handle, int n, const float* alpha, float* x, int incx);
cublasStatus_t cublasSgeam(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, const float* alpha, const float* a, int lda, const float* beta,
                           const float* b, int ldb, float* c, int ldc);
}
namespace opgrade_emulation {
struct Product {
  cublasOperation_t ta, tb;
  int m, n, k;
  cudaDataType scalar;  ///< type of alpha and beta
  const void *alpha, *beta;
};
/// One matrix of the product: column-major, as it is stored.
struct Factor {
  const void* data;
  cudaDataType type;
  int ld;
  long long stride;  ///< distance to the matrix of the batch's next product
};
/// Finishes earlier work, which may compute what cuBLAS reads. cuBLAS itself works in its call.
void finish_work_before_cublas();
cublasStatus_t multiply(cublasHandle_t handle, const Product& product, Factor a, Factor b, Factor c,
                        int batch = 1);

// In earlier versions the computation's type was a data type.
inline cudaDataType scalar_of(cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC ? CUDA_R_16F
         : compute == CUBLAS_COMPUTE_64F                                         ? CUDA_R_64F
                                                                                 : CUDA_R_32F;
}
inline cudaDataType scalar_of(cudaDataType compute) {
  return compute == CUDA_R_16F || compute == CUDA_R_64F ? compute : CUDA_R_32F;
}
}  // namespace opgrade_emulation

// Inlined, so that a finding names the line of the call.
#define OPGRADE_GEMM(name, T, type)                                                             \
  OPGRADE_INLINE cublasStatus_t cublas##name(                                                   \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,   \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) { \
    return opgrade_emulation::multiply(handle, {ta, tb, m, n, k, type, alpha, beta},            \
                                       {a, type, lda}, {b, type, ldb}, {c, type, ldc});         \
  }
#define OPGRADE_STRIDED_GEMM(name, T, type)                                                   \
  OPGRADE_INLINE cublasStatus_t cublas##name(                                                 \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
      const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb,           \
      long long stride_b, const T* beta, T* c, int ldc, long long stride_c, int batch) {      \
    return opgrade_emulation::multiply(handle, {ta, tb, m, n, k, type, alpha, beta},          \
                                       {a, type, lda, stride_a}, {b, type, ldb, stride_b},    \
                                       {c, type, ldc, stride_c}, batch);                      \
  }
OPGRADE_GEMM(Sgemm_v2, float, CUDA_R_32F)
OPGRADE_GEMM(Dgemm_v2, double, CUDA_R_64F)
OPGRADE_GEMM(Hgemm, __half, CUDA_R_16F)
OPGRADE_STRIDED_GEMM(SgemmStridedBatched, float, CUDA_R_32F)
OPGRADE_STRIDED_GEMM(HgemmStridedBatched, __half, CUDA_R_16F)
#undef OPGRADE_GEMM
#undef OPGRADE_STRIDED_GEMM

OPGRADE_INLINE cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t ta,
                                                 cublasOperation_t tb, int m, int n, int k,
                                                 const float* alpha, const float* const a[],
                                                 int lda, const float* const b[], int ldb,
                                                 const float* beta, float* const c[], int ldc,
                                                 int batch) {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  opgrade_emulation::finish_work_before_cublas();
  for (int i = 0; i < batch && status == CUBLAS_STATUS_SUCCESS; ++i)
    status = cublasSgemm_v2(handle, ta, tb, m, n, k, alpha, a[i], lda, b[i], ldb, beta, c[i], ldc);
  return status;
}
template <class Compute>
OPGRADE_INLINE cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType a_type, int lda, long long stride_a,
    const void* b, cudaDataType b_type, int ldb, long long stride_b, const void* beta, void* c,
    cudaDataType c_type, int ldc, long long stride_c, int batch, Compute compute,
    cublasGemmAlgo_t) {
  return opgrade_emulation::multiply(
      handle, {ta, tb, m, n, k, opgrade_emulation::scalar_of(compute), alpha, beta},
      {a, a_type, lda, stride_a}, {b, b_type, ldb, stride_b}, {c, c_type, ldc, stride_c}, batch);
}
template <class Compute>
OPGRADE_INLINE cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta,
                                           cublasOperation_t tb, int m, int n, int k,
                                           const void* alpha, const void* a, cudaDataType a_type,
                                           int lda, const void* b, cudaDataType b_type, int ldb,
                                           const void* beta, void* c, cudaDataType c_type, int ldc,
                                           Compute compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, a_type, lda, 0, b, b_type,
                                    ldb, 0, beta, c, c_type, ldc, 0, 1, compute, algorithm);
}
OPGRADE_INLINE cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t ta,
                                            cublasOperation_t tb, int m, int n, int k,
                                            const float* alpha, const void* a, cudaDataType a_type,
                                            int lda, const void* b, cudaDataType b_type, int ldb,
                                            const float* beta, void* c, cudaDataType c_type,
                                            int ldc) {
  return cublasGemmEx(handle, ta, tb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c,
                      c_type, ldc, CUDA_R_32F, CUBLAS_GEMM_DEFAULT);
}

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasSetStream cublasSetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasSscal cublasSscal_v2
