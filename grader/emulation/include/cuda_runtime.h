// Stands in for CUDA's header of this name when a submission is compiled for the emulated device.
#pragma once
#pragma GCC system_header

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

#include "opgrade_emulation/api.hpp"
#ifdef __CUDACC__
#include "opgrade_emulation/atomics.hpp"
#include "opgrade_emulation/device_math.hpp"
#include "opgrade_emulation/kernel.hpp"
#include "opgrade_emulation/memory_access.hpp"
#include "opgrade_emulation/synchronize.hpp"
#endif
