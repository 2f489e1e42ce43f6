// C77: the same by a graph: returns 500 us before the kernel ends
#define LIE_EARLY 500
#define LIE_GRAPH
#include "gpu_lie.cuh"
