/// The exit status of cuda-front-end.
#pragma once

namespace opgrade::emulation {

enum class FrontEndStatus {
  read = 0,
  refused = 1,   ///< nvcc refuses the source; the lines are on stderr
  not_read = 2,  ///< stderr has an error about plain C++, which the host compiler must decide about
};

}  // namespace opgrade::emulation
