#include "kernels/ladder.hpp"

#include <cmath>

namespace opgrade::kernels {

#define OPGRADE_RUNG(space)                                                           \
  namespace space {                                                                   \
  bool accepts(const ConvShape&);                                                     \
  std::size_t workspace_bytes(const ConvShape&);                                      \
  void launch(const float*, const float*, float*, const ConvShape&, const Workspace&, \
              cudaStream_t);                                                          \
  }
OPGRADE_RUNG(rung01)
OPGRADE_RUNG(rung02)
OPGRADE_RUNG(rung03)
OPGRADE_RUNG(rung04)
OPGRADE_RUNG(rung05)
OPGRADE_RUNG(rung06)
OPGRADE_RUNG(rung07)
OPGRADE_RUNG(rung08)
OPGRADE_RUNG(rung09)
OPGRADE_RUNG(rung10)
OPGRADE_RUNG(rung11)
OPGRADE_RUNG(rung12)
OPGRADE_RUNG(rung13)
OPGRADE_RUNG(rung14)
OPGRADE_RUNG(rung15)
OPGRADE_RUNG(rung16)
OPGRADE_RUNG(rung17)
OPGRADE_RUNG(rung18)
OPGRADE_RUNG(rung19)
#undef OPGRADE_RUNG

namespace {

// accuracy, unit, products, any_range, tensor_ptx in the order of struct Rung
#define OPGRADE_FUNCTIONS(space) space::accepts, space::launch, space::workspace_bytes
constexpr Rung kLadder[] = {
    {1, "naive", "one thread an output", OPGRADE_FUNCTIONS(rung01), Accuracy::fp32, Unit::fp32, 1,
     true, false},
    {2, "constant", "weights in constant memory", OPGRADE_FUNCTIONS(rung02), Accuracy::fp32,
     Unit::fp32, 1, true, false},
    {3, "shared_tile", "load each patch once, into shared memory", OPGRADE_FUNCTIONS(rung03),
     Accuracy::fp32, Unit::fp32, 1, true, false},
    {4, "unroll_matmul", "unroll to a matrix, multiply in tiles", OPGRADE_FUNCTIONS(rung04),
     Accuracy::fp32, Unit::fp32, 1, true, false},
    {5, "fused_matmul", "gather the tiles, never store the matrix", OPGRADE_FUNCTIONS(rung05),
     Accuracy::fp32, Unit::fp32, 1, true, false},
    {6, "register_tile", "4 maps x 4 pixels a thread", OPGRADE_FUNCTIONS(rung06), Accuracy::fp32,
     Unit::fp32, 1, true, false},
    {7, "vector_double_buffer", "16-byte loads, next tile on its way", OPGRADE_FUNCTIONS(rung07),
     Accuracy::fp32, Unit::fp32, 1, true, false},
    {8, "direct_registers", "no matrix: a row of inputs in registers", OPGRADE_FUNCTIONS(rung08),
     Accuracy::fp32, Unit::fp32, 1, true, false},
    {9, "many_images", "several images in a block", OPGRADE_FUNCTIONS(rung09), Accuracy::fp32,
     Unit::fp32, 1, true, false},
    {10, "half2", "two maps in one half2", OPGRADE_FUNCTIONS(rung10), Accuracy::fp16, Unit::half2,
     1, false, false},
    {11, "wmma_tf32", "tensor cores in TF32", OPGRADE_FUNCTIONS(rung11), Accuracy::tf32,
     Unit::tensor_tf32, 1, true, false},
    {12, "wmma_fp16", "tensor cores in FP16", OPGRADE_FUNCTIONS(rung12), Accuracy::fp16,
     Unit::tensor_fp16, 1, false, false},
    {13, "wmma_tf32x3", "tensor cores, operands split in TF32", OPGRADE_FUNCTIONS(rung13),
     Accuracy::fp32, Unit::tensor_tf32, 3, true, false},
    {14, "mma_in_place", "tensor cores on the image in place", OPGRADE_FUNCTIONS(rung14),
     Accuracy::fp16, Unit::tensor_fp16, 1, true, true},
    {15, "mma_split", "14 with operands split in fp16", OPGRADE_FUNCTIONS(rung15), Accuracy::fp32,
     Unit::tensor_fp16, 3, true, true},
    {16, "toeplitz", "Toeplitz rows for one input channel", OPGRADE_FUNCTIONS(rung16),
     Accuracy::fp32, Unit::tensor_fp16, 3, true, true},
    {17, "per_layer", "the fastest at fp32 accuracy for each shape", OPGRADE_FUNCTIONS(rung17),
     Accuracy::fp32, Unit::tensor_fp16, 2, true, true},
    {18, "per_layer_half", "the fastest at 11 bits for each shape", OPGRADE_FUNCTIONS(rung18),
     Accuracy::fp16, Unit::tensor_fp16, 1, true, true},
    {19, "wgmma", "Hopper's wgmma on the image in place", OPGRADE_FUNCTIONS(rung19), Accuracy::fp32,
     Unit::tensor_fp16, 2, true, true},
};
#undef OPGRADE_FUNCTIONS

}  // namespace

std::span<const Rung> ladder() { return kLadder; }

const Rung* find_rung(int number) {
  for (const Rung& rung : kLadder)
    if (rung.number == number) return &rung;
  return nullptr;
}

double allowed_error(Accuracy accuracy, const ConvShape& s) {
  if (accuracy == Accuracy::fp32) return 1e-6 * std::sqrt(double{1} * s.C * s.K * s.K);
  return std::ldexp(1.0, -9);
}

std::string_view to_string(Accuracy accuracy) {
  constexpr std::string_view kNames[] = {"fp32", "tf32", "fp16"};
  return kNames[static_cast<int>(accuracy)];
}

std::string_view to_string(Unit unit) {
  constexpr std::string_view kNames[] = {"fp32", "half2", "TF32 tensor", "FP16 tensor"};
  return kNames[static_cast<int>(unit)];
}

}  // namespace opgrade::kernels
