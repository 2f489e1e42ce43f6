/// Copies of CUDA's runtime API, with their checks.
#pragma once

#include <cstddef>

#include "opgrade_emulation/api.hpp"

namespace opgrade_emulation {

/// Copies if both ends lie where `kind` says and within their memory; else reports a finding at
/// `site` and returns CUDA's error, which it also sets.
cudaError_t copy_checked(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                         const void* site);

}  // namespace opgrade_emulation
