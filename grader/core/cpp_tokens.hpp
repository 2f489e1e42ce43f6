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

/// What counts of preprocessor directives.
enum class Directives {
  skipped,
  macro_bodies,  ///< what a #define stands for
  whole,  ///< each is one token, and so is each string and character; raw strings are unknown
};

/// Comments give no tokens, nor, where directives are not whole, do strings, characters and what
/// stands below `#if 0`.
std::vector<CppToken> cpp_tokens(std::string_view text, Directives directives);

}  // namespace opgrade
