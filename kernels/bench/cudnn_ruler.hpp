/// Rung 0, the ruler: cuDNN's forward convolution by every algorithm, arithmetic and layout that it
/// offers, each timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/bench/timing.hpp"
#include "kernels/bench/truth.hpp"

namespace opgrade::kernels {

/// One way cuDNN can do a layer.
struct CudnnResult {
  std::string how;      ///< for example "NHWC tf32 implicit_precomp_gemm"
  bool halves = false;  ///< tensors in fp16, which the ladder's rungs do not get
  Samples ms;
  Difference difference;
};

/// Everything cuDNN supports for the shape, checked against the truth and timed cold. NHWC tensors
/// are transposed, and halves converted, beforehand and not timed. Ways far slower than the fastest
/// get one sample. Empty where opgrade was built without cuDNN.
std::vector<CudnnResult> measure_cudnn(const float* d_x, const float* d_k, const double* d_truth,
                                       const ConvShape& shape, ColdTimer& timer);

/// "9.19.0", or nothing when built without cuDNN.
std::optional<std::string> cudnn_version();

}  // namespace opgrade::kernels
