// 18. A kernel for each layer, 11 bits allowed.
// Idea: 17 with one product instead of three: 14 in the place of 15, TF32 in that of 3xTF32, and 16
//   without the rests. 14 also takes first layers whose maps do not come in fours.
// Bound by: the order of the writes in a network's first layer, shared memory's reads in its
//   second. The 86x86 network takes 1.4 times as long as its bytes need.
// Next: nothing here. Outputs laid together in shared memory, to be written in order, might halve
//   the rest.
// Submission needs: 11_wmma_tf32.cu 14_mma_in_place.cu 16_toeplitz.cu
#include "kernels/common.cuh"

namespace opgrade::kernels {

#define OPGRADE_DECLARE_RUNG(name)                                                    \
  namespace name {                                                                    \
  bool accepts(const ConvShape&);                                                     \
  void launch(const float*, const float*, float*, const ConvShape&, const Workspace&, \
              cudaStream_t);                                                          \
  }
OPGRADE_DECLARE_RUNG(rung11)
OPGRADE_DECLARE_RUNG(rung14)
OPGRADE_DECLARE_RUNG(rung16)
#undef OPGRADE_DECLARE_RUNG
namespace rung16 {
void launch_half(const float*, const float*, float*, const ConvShape&, const Workspace&,
                 cudaStream_t);
}

namespace rung18 {

bool accepts(const ConvShape& s) {
  return rung16::accepts(s) || rung14::accepts(s) || rung11::accepts(s);
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace& space,
            cudaStream_t stream) {
  const bool fours = s.W_out() % 4 == 0 && (s.M % 4 == 0 || s.M > 12);
  if (rung16::accepts(s) && (fours || !rung14::accepts(s)))
    return rung16::launch_half(x, k, y, s, space, stream);
  if (rung14::accepts(s)) return rung14::launch(x, k, y, s, space, stream);
  rung11::launch(x, k, y, s, space, stream);
}

}  // namespace rung18
}  // namespace opgrade::kernels
