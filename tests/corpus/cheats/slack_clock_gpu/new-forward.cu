// C66: bends clock_gettime by no more than clocks may differ, and overwrites the event time in the harness's struct
#define LIE_SLACK
#include "gpu_lie.cuh"
