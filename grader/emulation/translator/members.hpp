/// The members that a class declares.
#pragma once

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {

/// The declarations that tokens [begin, end) belong to change what an object is made of: one is
/// data, unlike static data, functions, types and friends, or a virtual function. `begin` is in a
/// class.
bool change_objects(const Cursor& tokens, const ScopeMap& scopes, std::size_t begin,
                    std::size_t end);

}  // namespace opgrade::emulation
