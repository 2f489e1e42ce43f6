/// Combines lambdas into one visitor of a variant.
#pragma once

namespace opgrade {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace opgrade
