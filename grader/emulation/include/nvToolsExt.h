// Stands in for the old place of the NVTX header.
#pragma once
#include "nvtx3/nvToolsExt.h"
