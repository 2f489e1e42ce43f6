// An earlier attempt that nobody asks for.
#include "cpu-new-forward.h"
void conv_forward_cpu(float *, const float *, const float *, int, int, int, int, int, int) {}
