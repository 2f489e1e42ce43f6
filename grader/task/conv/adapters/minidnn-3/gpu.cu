// 2021sp to 2026sp without 2023fa.
#define OPGRADE_SIZES(c) c->B, c->M, c->C, c->H, c->W, c->K
#include "../three_functions.h"
