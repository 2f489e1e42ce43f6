// C75: starts its call when the grader wakes the process, and does not say that it is awake
#define LIE_AWAKE
#include "gpu_lie.cuh"
