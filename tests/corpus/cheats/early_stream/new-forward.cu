// C77: the same by a second stream: returns 500 us before the kernel ends
#define LIE_EARLY 500
#define LIE_STREAM
#include "gpu_lie.cuh"
