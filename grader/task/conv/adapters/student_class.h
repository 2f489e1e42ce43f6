// GPUInterface: from the submission's own gpu-new-forward.h when it has one, else from the
// course's.
#include "gpu-new-forward.h"

// Macros of the submission's own header.
#undef B
#undef M
#undef C
#undef H
#undef W
#undef K
#undef S
#undef x
#undef y
#undef k
