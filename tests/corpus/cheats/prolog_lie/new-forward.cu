// C80: bends the clock by as much in prolog and epilog, and shares no device tensor, so that they count
#define LIE_ALL_STEPS
#include "gpu_lie.cuh"
