// All of it is in cuda_pipeline.h.
#pragma once
#pragma GCC system_header
#include "cuda_pipeline.h"
