// C79: queues each call during the one before, behind a wait for the grader's poison, in a second context
#define LIE_STREAM_WAIT
#include "gpu_lie.cuh"
