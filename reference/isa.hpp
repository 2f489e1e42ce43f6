/// The instruction sets that the fast CPU convolution is compiled for, chosen at run time.
#pragma once

#include <string_view>
#include <vector>

namespace opgrade {

/// In rising order; each level needs all that the one before it needs.
enum class Isa {
  baseline,  ///< what every machine of the architecture has: SSE2 on x86-64, NEON on aarch64
  avx2,      ///< AVX2 and FMA (x86-64 only)
  avx512,    ///< AVX-512 F, BW, DQ and VL (x86-64 only)
};

std::string_view isa_name(Isa isa);

/// The levels this build holds and this processor can run, in rising order; never empty.
const std::vector<Isa>& available_isas();

/// The highest available level that is not above `limit`.
Isa best_isa(Isa limit = Isa::avx512);

}  // namespace opgrade
