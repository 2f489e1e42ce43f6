// C77: returns 200 us before its kernel ends, and does not wait for the device
#define LIE_EARLY 200
#include "gpu_lie.cuh"
