// C77: returns 500 us before its kernel ends, and does not wait for the device
#define LIE_EARLY 500
#include "gpu_lie.cuh"
