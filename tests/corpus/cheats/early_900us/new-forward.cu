// C77: returns 900 us before its kernel ends, and does not wait for the device
#define LIE_EARLY 900
#include "gpu_lie.cuh"
