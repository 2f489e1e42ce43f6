#define OPGRADE_KERNELS avx2
#define OPGRADE_VECTOR_BYTES 32
#define OPGRADE_REGISTERS 16
#include "reference/conv_kernels_body.hpp"
