/// Reads `extern __shared__ float a[16], b[4];` and the like: names, and the text without CUDA's
/// words.
#pragma once

#include <string>

#include "grader/emulation/translator/cursor.hpp"

namespace opgrade::emulation {

struct Declaration {
  std::vector<std::size_t> names;  ///< tokens of the declared names; empty: not understood
  std::vector<std::size_t> kept;   ///< tokens but storage words, alignment and initialisers
  bool external = false;
  bool is_static = false;  ///< static, inline or constexpr was written
  bool is_template = false;
  bool is_function = false;
  std::string with_names(const std::string& prefix) const;

  const Cursor* tokens = nullptr;
};

/// Tokens [begin, end) are a declaration; `end` is its `;`.
Declaration read_declaration(const Cursor& tokens, std::size_t begin, std::size_t end);

}  // namespace opgrade::emulation
