// 18. A kernel for each layer, 11 bits allowed.
// Idea: 17 with one product instead of three: 14 in the place of 15, TF32 in that of 3xTF32, and 16
//   and 19 without the rests. 14 also takes first layers whose maps do not come in fours.
// Bound by: bytes, where 19 is chosen. Reads and writes in a mix of 1 to 3 take device memory
//   longer than a copy's equal shares.
// Next: nothing here.
// Submission needs: 11_wmma_tf32.cu 14_mma_in_place.cu 15_mma_split.cu 16_toeplitz.cu 19_wgmma.cu
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
namespace rung19 {
bool best(const ConvShape&);
void launch_half(const float*, const float*, float*, const ConvShape&, const Workspace&,
                 cudaStream_t);
}  // namespace rung19

namespace rung18 {

bool accepts(const ConvShape& s) {
  return rung16::accepts(s) || rung14::accepts(s) || rung11::accepts(s);
}

std::size_t workspace_bytes(const ConvShape&) { return 0; }

void launch(const float* x, const float* k, float* y, const ConvShape& s, const Workspace& space,
            cudaStream_t stream) {
  if (rung19::best(s)) return rung19::launch_half(x, k, y, s, space, stream);
  const bool fours = s.W_out() % 4 == 0 && (s.M % 4 == 0 || s.M > 12);
  if (rung16::accepts(s) && (fours || !rung14::accepts(s)))
    return rung16::launch_half(x, k, y, s, space, stream);
  if (rung14::accepts(s)) return rung14::launch(x, k, y, s, space, stream);
  rung11::launch(x, k, y, s, space, stream);
}

}  // namespace rung18
}  // namespace opgrade::kernels
