/// Finds for every token whether it stands at namespace scope, in a class or in a function's body.
#pragma once

#include "grader/emulation/translator/cursor.hpp"

namespace opgrade::emulation {

enum class Scope { name_space, type, function, initializer };

struct ScopeMap {
  std::vector<Scope> scope;       ///< of each token
  std::vector<std::size_t> body;  ///< index of the `{` of its outermost function body, or kNone
  std::vector<std::size_t> statement;  ///< first token of its declaration; meant outside functions
};

ScopeMap map_scopes(const Cursor& tokens);

}  // namespace opgrade::emulation
