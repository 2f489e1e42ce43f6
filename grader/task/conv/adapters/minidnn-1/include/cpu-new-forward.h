// The CPU function of 2020fa, which the later terms kept.
#include "../../minidnn-3/include/cpu-new-forward.h"
