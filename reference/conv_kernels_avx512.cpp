#define OPGRADE_KERNELS avx512
#define OPGRADE_VECTOR_BYTES 64
#define OPGRADE_REGISTERS 32
#include "reference/conv_kernels_body.hpp"
