#include "reference/conv_kernels.hpp"

namespace opgrade::conv_kernels {

const KernelSet& kernels_for(Isa isa) {
#if defined(OPGRADE_REFERENCE_X86)
  if (isa == Isa::avx512) return avx512();
  if (isa == Isa::avx2) return avx2();
#endif
  static_cast<void>(isa);
  return baseline();
}

}  // namespace opgrade::conv_kernels
