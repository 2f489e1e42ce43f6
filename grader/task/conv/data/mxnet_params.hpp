/// Reads the tensors of MXNet's `.params` files.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "grader/task/conv/data/weights.hpp"

namespace opgrade {

/// The named arrays of an NDArray list, "arg:convolution0_weight" and so on.
///
/// File, all little-endian: uint64 0x112, uint64 0, uint64 count, the arrays, uint64 count, the
/// names (uint64 length, bytes).
/// An array is uint32 0xF993FAC9, int32 storage (0: dense), uint32 rank, int64 sizes, int32 device
/// type and number, int32 element type (0: float32), values. With 0xF993FAC8 the storage is left
/// out. Older arrays begin with the rank and have uint32 sizes.
///
/// Throws Error naming the file: missing, truncated, bytes left over, not such a file, sparse or
/// other than float32, two arrays of one name.
std::map<std::string, Tensor> read_mxnet_params(const std::filesystem::path& path);

}  // namespace opgrade
