// CUDA has this header too; all of it is in cuda_runtime.h.
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"
