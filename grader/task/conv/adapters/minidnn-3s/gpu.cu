// 2023fa: with stride.
#define OPGRADE_SIZES(c) c->B, c->M, c->C, c->H, c->W, c->K, c->S
#include "../three_functions.h"
