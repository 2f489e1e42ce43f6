// C77: the same by a second thread: returns 500 us before the kernel ends
#define LIE_EARLY 500
#define LIE_THREAD
#include "gpu_lie.cuh"
