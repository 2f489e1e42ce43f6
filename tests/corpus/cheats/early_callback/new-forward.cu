// C77: the same by a host callback's thread: returns 500 us before the kernel ends
#define LIE_EARLY 500
#define LIE_CALLBACK
#include "gpu_lie.cuh"
