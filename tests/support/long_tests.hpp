/// OPGRADE_LONG_TESTS=1 runs in full what `make test` samples.
#pragma once

#include <cstdlib>
#include <string_view>

namespace opgrade::test {

inline bool long_tests() {
  const char* const all = std::getenv("OPGRADE_LONG_TESTS");
  return all != nullptr && std::string_view(all) == "1";
}

}  // namespace opgrade::test
