/// Tells which members of a class change its objects.
#pragma once

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {

/// True if the declarations of tokens [begin, end) change the layout of objects: one is data or a
/// virtual function. Static data, other functions, types and friends do not. `begin` is in a class.
bool change_objects(const Cursor& tokens, const ScopeMap& scopes, std::size_t begin,
                    std::size_t end);

}  // namespace opgrade::emulation
