// C59: calls cuBLAS
#include "honest.cuh"

#include <cublas_v2.h>

HONEST_PROLOG
HONEST_EPILOG

CONV {
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1;
  cublasSscal(handle, 1, &one, y, 1);
  honest_conv(y, x, k, B, M, C, H, W, K);
  cublasDestroy(handle);
}
