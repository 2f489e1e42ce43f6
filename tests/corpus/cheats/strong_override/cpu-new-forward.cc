// C54: defines the function by which the grader finds the submission
#include "honest.h"

struct opgrade_submission;
extern "C" const opgrade_submission* opgrade_get_submission(void) { return nullptr; }

void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) { honest_conv(y, x, k, B, M, C, H, W, K); }
