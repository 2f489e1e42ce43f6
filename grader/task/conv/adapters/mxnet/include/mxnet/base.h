/// The header that submissions of the MXNet terms include. It has the names that MXNet takes over
/// from mshadow.
#ifndef MXNET_BASE_H_
#define MXNET_BASE_H_

#include <assert.h>
#include <math.h>
#include <mshadow/tensor.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mxnet {
typedef mshadow::cpu cpu;
typedef mshadow::gpu gpu;
typedef mshadow::index_t index_t;
}  // namespace mxnet

#endif
