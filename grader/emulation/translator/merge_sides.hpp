/// Merges the two texts of a CUDA source into one: __CUDA_ARCH__ is defined only in device code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/emulation/translator/translate.hpp"

namespace opgrade::emulation {

struct MergedText {
  std::string text;
  std::vector<Remark> remarks;  ///< declarations outside functions that differ: not_emulated
};

/// Both texts are the output of `g++ -E`, `device` with __CUDA_ARCH__ defined. Bodies of kernels
/// and of __device__ functions come from `device`, those of host functions from `host`. A function
/// of both sides gets both bodies and chooses when it runs. Text that only one side has is kept.
MergedText merge_sides(std::string_view host, std::string_view device,
                       std::string_view own_headers);

/// True if a file of the submission that the preprocessed text names has the word __CUDA_ARCH__.
bool depends_on_side(std::string_view preprocessed, std::string_view own_headers);

}  // namespace opgrade::emulation
