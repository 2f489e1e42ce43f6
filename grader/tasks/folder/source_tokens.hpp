/// The words and signs of a C++ source.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace opgrade {

struct SourceToken {
  std::size_t begin = 0, size = 0;
  int line = 1;

  std::string_view of(std::string_view text) const { return text.substr(begin, size); }
};

/// Without comments; with strings, characters and directives where `all` are wanted. Raw strings
/// are not known.
std::vector<SourceToken> tokens_of_source(std::string_view text, bool all = false);

}  // namespace opgrade
