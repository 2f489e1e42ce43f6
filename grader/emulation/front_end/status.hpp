/// How cuda-front-end ends.
#pragma once

namespace opgrade::emulation {

enum class FrontEndStatus {
  read = 0,
  refused = 1,   ///< nvcc refuses the source; the lines are on stderr
  not_read = 2,  ///< an error about plain C++, about which the host compiler decides, is on stderr
};

}  // namespace opgrade::emulation
