/// The ladder of convolution kernels: one array of rungs for tests, benchmark, CLI and README
/// table.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "reference/conv_shape.hpp"

namespace opgrade::kernels {

struct Workspace;  // kernels/common.cuh

/// The arithmetic that a rung's result is as good as.
enum class Accuracy { fp32, tf32, fp16 };

/// The unit that does a rung's multiply-adds; its measured rate is the arithmetic floor's divisor.
enum class Unit { fp32, half2, tensor_tf32, tensor_fp16 };

/// One kernel of the ladder. All pointers are device memory, float32, in ConvShape's layouts, from
/// cudaMalloc (the wide stores rely on its alignment). Outputs need no initial value. launch()
/// queues all of its work on the stream, the preparation of the weights included. It throws
/// std::runtime_error when CUDA refuses.
struct Rung {
  int number;
  std::string_view name;  ///< the file is kernels/<two-digit number>_<name>.cu
  std::string_view idea;
  bool (*accepts)(const ConvShape&);
  void (*launch)(const float* d_x, const float* d_k, float* d_y, const ConvShape&, const Workspace&,
                 cudaStream_t);
  std::size_t (*workspace_bytes)(const ConvShape&);
  Accuracy accuracy;
  Unit unit;
  /// Multiply-adds of `unit` for each one of the convolution: 3 for split operands, 2 where rests
  /// are multiplied at twice the rate.
  int products;
  bool any_range;   ///< good for any finite inputs; false: inputs and sums must fit fp16
  bool tensor_ptx;  ///< uses mma.sync; OPGRADE_NO_PTX gives the same by shuffles
};

/// Every rung, by rising number.
std::span<const Rung> ladder();

/// The rung of that number, or nullptr.
const Rung* find_rung(int number);

/// The worst error, divided by the largest |y|, that an output of this accuracy may have.
///
/// - fp32: 1e-6 * sqrt(C*K*K), the ladder's goal. fp32's own rounding of a sum of n terms grows
///   with sqrt(n) and is about a tenth of that.
/// - tf32, fp16: 2^-9. Operands of 11 bits give 2^-10 a product at worst. As much again is left
///   for sums that are themselves kept in fp16.
double allowed_error(Accuracy, const ConvShape&);

std::string_view to_string(Accuracy);
std::string_view to_string(Unit);

}  // namespace opgrade::kernels
