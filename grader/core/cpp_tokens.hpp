/// The tokens of a C++ or CUDA source, without the compiler's help.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace opgrade {

struct CppToken {
  std::size_t begin = 0, size = 0;  ///< in the text
  int line = 1;

  std::string_view in(std::string_view text) const { return text.substr(begin, size); }
};

/// Comments give none; a directive, a string and a character are one each.
std::vector<CppToken> cpp_tokens(std::string_view text);

}  // namespace opgrade
