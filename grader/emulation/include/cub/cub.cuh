// Stands in for CUB: the parts that public homework uses.
#pragma once
#pragma GCC system_header

#include "block/block_exchange.cuh"
#include "block/block_histogram.cuh"
#include "block/block_load.cuh"
#include "block/block_radix_sort.cuh"
#include "block/block_reduce.cuh"
#include "block/block_scan.cuh"
#include "device/device_histogram.cuh"
#include "device/device_radix_sort.cuh"
#include "device/device_reduce.cuh"
#include "device/device_scan.cuh"
#include "device/device_select.cuh"
#include "iterator/iterators.cuh"
#include "util_allocator.cuh"
#include "warp/warp_reduce.cuh"
#include "warp/warp_scan.cuh"
