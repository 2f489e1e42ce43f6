#define OPGRADE_KERNELS baseline
#define OPGRADE_VECTOR_BYTES 16
#if defined(__aarch64__)
#define OPGRADE_REGISTERS 32
#else
#define OPGRADE_REGISTERS 15  // of 16: without fused multiply-add, one holds the product
#endif
#include "reference/conv_kernels_body.hpp"
